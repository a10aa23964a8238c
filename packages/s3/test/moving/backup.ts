import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CopyObjectCommand, DeleteObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import type { TestStorage } from "../storage.ts";

/** Returns the newest installation of PostgreSQL with `pg_dump` on Debian. The npm package has no `pg_dump`. */
export function installationWithDump(): string | undefined {
  const folder = "/usr/lib/postgresql";
  const versions = existsSync(folder) ? readdirSync(folder).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(folder, version)).find((path) => existsSync(join(path, "bin/pg_dump")));
}

/** Copies all objects of a bucket, as `aws s3 sync` does. */
export async function copyBucket({ client }: TestStorage, from: string, to: string): Promise<void> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: from }));
  for (const { Key = "" } of Contents)
    await client.send(new CopyObjectCommand({ Bucket: to, Key, CopySource: `${from}/${Key}` }));
}

/** Deletes all objects of a bucket. */
export async function emptyBucket({ client }: TestStorage, bucket: string): Promise<void> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  for (const { Key = "" } of Contents) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
}
