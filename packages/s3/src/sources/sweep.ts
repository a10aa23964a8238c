import { AbortMultipartUploadCommand, DeleteObjectCommand, paginateListObjectsV2 } from "@aws-sdk/client-s3";
import { sourcePrefix } from "../storage/address.ts";
import type { Storage } from "../storage/storage.ts";
import { uploadsBelow } from "../storage/uploads.ts";

/** Names of files of sources. Objects with other names, such as the index, are not swept. */
const fileName = /^[A-Za-z0-9][\w-]*\/\d+-[0-9a-f]{8}(?:\.\d+)?\.duckdb$/;

/** Removes files that are not needed, and parts of uploads of them. */
export async function sweepSources(
  storage: Storage,
  isNeeded: (name: string, addedAt: number) => boolean,
): Promise<void> {
  const { client, address } = storage;
  const Bucket = address.bucket;
  const prefix = sourcePrefix(address);
  const isUnneeded = (key: string, addedAt: Date | undefined): boolean => {
    const name = key.slice(prefix.length);
    // An object without a time counts as new.
    return fileName.test(name) && !isNeeded(name, addedAt?.getTime() ?? Date.now());
  };
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix }))
    for (const { Key = "", LastModified } of Contents)
      if (isUnneeded(Key, LastModified)) await client.send(new DeleteObjectCommand({ Bucket, Key }));
  for await (const { Key = "", UploadId, Initiated } of uploadsBelow(storage, prefix))
    if (isUnneeded(Key, Initiated)) await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
}
