import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import type { SourceIndex } from "@quern/adapter";
import { sourcePrefix } from "../storage/address.ts";
import { isIgnored } from "../storage/conditions.ts";
import { isMissing, isPreconditionFailed, isUnchanged } from "../storage/failure.ts";
import type { Storage } from "../storage/storage.ts";

function requestOf({ address }: Storage): { readonly Bucket: string; readonly Key: string } {
  return { Bucket: address.bucket, Key: `${sourcePrefix(address)}index.json` };
}

/** Reads the index of the sources. Returns `known` if it has not changed, and undefined if there is none. */
export async function readIndex(storage: Storage, known?: SourceIndex): Promise<SourceIndex | undefined> {
  try {
    const condition = known === undefined ? {} : { IfNoneMatch: known.version };
    const answer = await storage.client.send(new GetObjectCommand({ ...requestOf(storage), ...condition }));
    const { ETag: version = "" } = answer;
    const text = (await answer.Body?.transformToString()) ?? "";
    // A storage that ignores the condition sends the index again.
    return known?.version === version ? known : { text, version };
  } catch (error) {
    if (isUnchanged(error)) return known;
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Writes the index if it is still the one that was read. Returns false if it is not.
 * @throws {Error} if the storage ignores the conditions of writes, which is tested before the first index is written
 */
export async function writeIndex(storage: Storage, before: SourceIndex | undefined, text: string): Promise<boolean> {
  if (before !== undefined) return put(storage, text, { IfMatch: before.version });
  if ((await isIgnored(storage, "If-None-Match")) || (await isIgnored(storage, "If-Match")))
    throw new Error(
      `The object storage of ${storage.address.text} ignores If-Match or If-None-Match, so loads could overwrite each other; use a storage that supports them.`,
    );
  return put(storage, text, { IfNoneMatch: "*" });
}

type Condition = { readonly IfMatch: string } | { readonly IfNoneMatch: string };

async function put(storage: Storage, text: string, condition: Condition): Promise<boolean> {
  try {
    const ContentType = "application/json";
    await storage.client.send(
      new PutObjectCommand({ ...requestOf(storage), ...condition, ContentType, Body: Buffer.from(text) }),
    );
    return true;
  } catch (error) {
    // Without the index, a condition on it fails as well.
    if (isPreconditionFailed(error) || isMissing(error)) return false;
    throw error;
  }
}
