import { AbortMultipartUploadCommand, DeleteObjectCommand, paginateListObjectsV2 } from "@aws-sdk/client-s3";
import type { RunRecord } from "@quern/query-run/record";
import type { Storage } from "../storage/storage.ts";
import { uploadsBelow } from "../storage/uploads.ts";
import { nameOfKey, resultPrefix, runOfName } from "./keys.ts";

export type OwnerOf = (runId: string) => Promise<RunRecord | undefined>;

/** Age after which an upload of a result that is stored counts as left over. */
const uploadAgeMs = 24 * 3_600_000;

/**
 * Removes results that no run owns, and parts of incomplete uploads. Objects with other names stay.
 * @param forget called with the name of each removed result
 */
export async function sweepStorage(
  storage: Storage,
  ownerOf: OwnerOf,
  forget: (name: string) => Promise<void>,
): Promise<void> {
  const { client, address } = storage;
  const within = { Bucket: address.bucket, Prefix: resultPrefix(address) };
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, within))
    for (const { Key = "" } of Contents) {
      const name = nameOfKey(address, Key);
      if (name === undefined || (await stateOf(name, ownerOf)) !== "orphaned") continue;
      await client.send(new DeleteObjectCommand({ Bucket: address.bucket, Key }));
      await forget(name);
    }
  for await (const { Key = "", UploadId, Initiated } of uploadsBelow(storage, resultPrefix(address))) {
    const name = nameOfKey(address, Key);
    if (name === undefined) continue;
    const state = await stateOf(name, ownerOf);
    const isOld = Initiated !== undefined && Date.now() - Initiated.getTime() > uploadAgeMs;
    if (state === "orphaned" || (state === "stored" && isOld))
      await client.send(new AbortMultipartUploadCommand({ Bucket: address.bucket, Key, UploadId }));
  }
}

/**
 * Returns whether a run owns a result. An executing run may own one too, because a result is committed shortly before
 * the record of its run. Names that are no result's count as owned.
 */
export async function stateOf(name: string, ownerOf: OwnerOf): Promise<"stored" | "written" | "orphaned"> {
  const named = runOfName(name);
  if (named === undefined) return "stored";
  const owner = await ownerOf(named.id);
  if (owner === undefined || owner.attempt !== named.attempt || owner.archivedAt !== null) return "orphaned";
  if (owner.state === "QUERY_STATE_SUCCESS") return "stored";
  const isExecuting = owner.state === "QUERY_STATE_RUNNING" || owner.state === "QUERY_STATE_STREAMING_RESULTS";
  return isExecuting ? "written" : "orphaned";
}
