import { open } from "node:fs/promises";
import { HeadObjectCommand } from "@aws-sdk/client-s3";
import type { SourceFile } from "@quern/adapter";
import { checksumText } from "../cache/checksum.ts";
import { sourcePrefix } from "../storage/address.ts";
import { isMissing } from "../storage/failure.ts";
import { fetchRange } from "../storage/range.ts";
import type { Storage } from "../storage/storage.ts";

/** Missing file of a source. */
export class MissingFileError extends Error {}

/**
 * Copies a file of a source to a path, durably, and returns its checksum.
 * @throws {MissingFileError} if the file does not exist
 * @throws {Error} if it has another size or checksum than when it was added
 */
export async function copySourceFile(storage: Storage, file: SourceFile, path: string): Promise<string> {
  const { client, address } = storage;
  const key = `${sourcePrefix(address)}${file.name}`;
  const damaged = (what: string, found: string | number, expected: string | number): Error =>
    new Error(
      `Damaged file of a data source: ${key} in ${address.text}: its ${what} is ${found}, expected ${expected}; remove the source, and add it again.`,
    );
  const copy = await open(path, "wx");
  try {
    // A missing object has no code in the answer to a HEAD: the SDK names the error `NotFound`.
    const head = new HeadObjectCommand({ Bucket: address.bucket, Key: key });
    const { ContentLength = 0, ETag: etag = "" } = await client.send(head);
    if (ContentLength !== file.bytes) throw damaged("size", ContentLength, file.bytes);
    const checksum = checksumText(await fetchRange(storage, { key, etag }, { start: 0, end: file.bytes }, copy));
    if (checksum !== file.checksum) throw damaged("checksum", checksum, file.checksum);
    await copy.sync();
    return checksum;
  } catch (error) {
    if (isMissing(error)) throw new MissingFileError(`Missing file of a data source: ${key} in ${address.text}.`);
    throw error;
  } finally {
    await copy.close();
  }
}
