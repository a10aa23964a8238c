import { GetObjectCommand } from "@aws-sdk/client-s3";
import { type RowGroup, readFooter, renameColumns } from "../parquet/footer.ts";
import { isMissing } from "../storage/failure.ts";
import { readRange } from "../storage/range.ts";
import type { Storage } from "../storage/storage.ts";

/** Rows that are fetched together. */
export type Segment = RowGroup;

/** Result in the storage, and what is needed to fetch parts of it. */
export interface StoredResult {
  readonly key: string;
  /** Changes with the content. */
  readonly etag: string;
  /** End of the values, after which the footer follows; end of the object if it does not have the names. */
  readonly valuesEnd: number;
  /**
   * End of the file as the service reads it: footer with the names `c0`, `c1`, … and the 8 bytes after it. Empty if the
   * object does not have the names of the columns, since the service then reads it as it is.
   */
  readonly localEnd: Buffer;
  /** True if the object has the names of the columns. */
  readonly isNamed: boolean;
  /** Checksum of the file as the service reads it. */
  readonly checksum: string | undefined;
  /** Row groups, several of which form a segment if they are small. Empty if only the whole file can be fetched. */
  readonly segments: readonly Segment[];
}

/** Result with its values, if it is small enough to come with the first request. */
export interface DescribedResult extends StoredResult {
  readonly values: Buffer | undefined;
}

/** Metadata of an object. */
export const metadataNames = {
  committer: "quern-committer",
  checksum: "quern-crc32",
  columns: "quern-columns",
} as const;

/** Bytes of the end of an object that the first request reads. Most results are smaller. */
const endBytes = 1_048_576;
/** Larger footers are neither renamed nor read: their results are fetched as a whole. */
export const maxFooterBytes = 16_000_000;
/** Least size of a segment, so that small row groups do not need a request each. */
const minSegmentBytes = 1_048_576;

/** Reads the end of a result, which has its footer. Returns undefined if the result does not exist. */
export async function describeResult(storage: Storage, key: string): Promise<DescribedResult | undefined> {
  const { client, address } = storage;
  let answer: { readonly bytes: Buffer; readonly size: number; readonly etag: string; readonly metadata: Metadata };
  try {
    const request = { Bucket: address.bucket, Key: key, Range: `bytes=-${endBytes}` };
    const { Body, ContentRange, ETag = "", Metadata = {} } = await client.send(new GetObjectCommand(request));
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    const [, size] = /\/(\d+)$/.exec(ContentRange ?? "") ?? [];
    answer = { bytes, size: size === undefined ? bytes.length : Number(size), etag: ETag, metadata: Metadata };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const { bytes, size, etag, metadata } = answer;
  const footerBytes = bytes.length < 12 ? 0 : bytes.readUInt32LE(bytes.length - 8);
  if (bytes.toString("latin1", bytes.length - 4) !== "PAR1" || footerBytes > size - 12)
    throw new Error(`Invalid result ${key}: it is no complete Parquet file.`);
  const isNamed = metadata[metadataNames.columns] === "named";
  const described = { key, etag, checksum: metadata[metadataNames.checksum], isNamed };
  const start = size - bytes.length;
  const valuesEnd = size - 8 - footerBytes;
  if (!isNamed) {
    const values = start === 0 ? bytes : undefined;
    return { ...described, valuesEnd: size, localEnd: Buffer.alloc(0), segments: [], values };
  }
  const known = { key, etag };
  const footer =
    valuesEnd >= start
      ? bytes.subarray(valuesEnd - start, -8)
      : await readRange(storage, known, { start: valuesEnd, end: size - 8 });
  const read = await readFooter(footer);
  const names = Array.from({ length: read.columnCount }, (_, index) => `c${index}`);
  const localEnd = fileEnd(renameColumns(read, names));
  const values = start === 0 ? bytes.subarray(0, valuesEnd) : undefined;
  return { ...described, valuesEnd, localEnd, segments: segmentsOf(read.rowGroups, valuesEnd), values };
}

type Metadata = Readonly<Record<string, string>>;

/** Returns the end of a Parquet file: its footer, the length of the footer, and the magic bytes. */
export function fileEnd(footer: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([footer, length, Buffer.from("PAR1")]);
}

/** Joins small row groups. Returns an empty list if the groups do not follow one another, as in files of some writers. */
export function segmentsOf(rowGroups: readonly RowGroup[], valuesEnd: number): readonly Segment[] {
  const segments: Segment[] = [];
  let last: Segment | undefined;
  for (const group of rowGroups) {
    if (group.start < (last?.end ?? 4) || group.end > valuesEnd) return [];
    if (last !== undefined && last.end - last.start < minSegmentBytes) {
      segments.pop();
      last = { ...last, rowCount: last.rowCount + group.rowCount, end: group.end };
    } else last = group;
    segments.push(last);
  }
  return segments;
}
