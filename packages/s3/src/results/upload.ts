import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { ResultExistsError } from "@quern/adapter";
import { type Footer, readFooter, renameColumns } from "../parquet/footer.ts";
import { putFile } from "../storage/put-file.ts";
import type { Storage } from "../storage/storage.ts";
import { fileEnd, maxFooterBytes, metadataNames } from "./stored-result.ts";

/** Parquet file on the local disk. */
export interface LocalResult {
  readonly path: string;
  readonly bytes: number;
  /** End of the values. The footer follows. */
  readonly valuesEnd: number;
  /** Undefined if the footer is too large to read it. */
  readonly footer: Footer | undefined;
}

/** Texts that are stored beside the values. */
export interface UploadLabels {
  /** Names of the columns. */
  readonly columns: readonly string[];
  /** Checksum of the local file. */
  readonly checksum: string;
  /** Id of this server, so that it recognises its own result when it repeats an upload. */
  readonly committer: string;
}

/** Reads the end of a Parquet file. @throws {Error} if it is incomplete */
export async function readLocalResult(path: string): Promise<LocalResult> {
  const file = await open(path);
  try {
    const { size: bytes } = await file.stat();
    const end = Buffer.alloc(8);
    if (bytes >= 12) await file.read(end, 0, 8, bytes - 8);
    const footerBytes = end.readUInt32LE();
    if (end.toString("latin1", 4) !== "PAR1" || footerBytes > bytes - 12)
      throw new Error("Invalid Parquet file: the result has no complete footer.");
    const valuesEnd = bytes - 8 - footerBytes;
    if (footerBytes > maxFooterBytes) return { path, bytes, valuesEnd, footer: undefined };
    const footer = Buffer.alloc(footerBytes);
    await file.read(footer, 0, footerBytes, valuesEnd);
    return { path, bytes, valuesEnd, footer: await readFooter(footer) };
  } finally {
    await file.close();
  }
}

/**
 * Uploads a result under a key that does not exist yet. The object has the names of the columns, so that callers can
 * download it from the storage as it is.
 * @throws {UnavailableError} if the storage is unavailable for longer than the upload is retried
 * @throws {ResultExistsError} if another server has stored an object under the key
 * @throws {Error} if the storage refuses the upload, such as without the right to write
 */
export async function uploadResult(
  storage: Storage,
  key: string,
  { path, bytes, valuesEnd, footer }: LocalResult,
  { columns, checksum, committer }: UploadLabels,
): Promise<void> {
  const named = footer?.columnCount === columns.length ? fileEnd(renameColumns(footer, columns)) : undefined;
  const Metadata = {
    [metadataNames.committer]: committer,
    [metadataNames.checksum]: checksum,
    [metadataNames.columns]: named === undefined ? "numbered" : "named",
  };
  const ContentType = "application/vnd.apache.parquet";
  const stored = await putFile(storage, { key, bytes, Metadata, ContentType, what: "results" }, () =>
    named === undefined ? createReadStream(path) : Readable.from(renamed(path, valuesEnd, named)),
  );
  if (!stored) throw new ResultExistsError(`The result ${key} is stored already.`);
}

async function* renamed(path: string, valuesEnd: number, end: Buffer): AsyncGenerator<Buffer> {
  // A file has at least the 4 magic bytes before its footer.
  for await (const chunk of createReadStream(path, { end: valuesEnd - 1, highWaterMark: 1_048_576 }))
    yield chunk as Buffer;
  yield end;
}
