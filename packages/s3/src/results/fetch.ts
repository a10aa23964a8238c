import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { RowRange } from "@quern/adapter";
import { checksumText } from "../cache/checksum.ts";
import { type ByteRange, fetchRange } from "../storage/range.ts";
import type { Storage } from "../storage/storage.ts";
import { type CachedRange, copyRange, partOf } from "./cached-range.ts";
import type { DescribedResult, Segment } from "./stored-result.ts";

/** Part of a result that is fetched into a file. */
export interface FetchedPart {
  /** Name in the cache. */
  readonly part: string;
  /** Most bytes that the file takes on the disk. */
  readonly bytes: number;
  readonly range: ByteRange;
}

/** Space that a file system takes beyond the bytes of a file with holes. */
const holeBytes = 16_384;

/** Returns the part of a result that has some rows: its segments, or the whole file if they are most of it. */
export function partFor({ segments, valuesEnd, localEnd }: DescribedResult, rows: RowRange | undefined): FetchedPart {
  const whole = { part: "whole", bytes: valuesEnd + localEnd.length, range: { start: 0, end: valuesEnd } };
  if (rows === undefined) return whole;
  const last = segments.at(-1);
  if (last === undefined) return whole;
  const includes = (row: number) => (segment: Segment) => row < segment.firstRow + segment.rowCount;
  const { start } = segments.find(includes(rows.first)) ?? last;
  const { end } = segments.find(includes(rows.first + Math.max(1, rows.count) - 1)) ?? last;
  if (end - start > valuesEnd / 2) return whole;
  return { part: partOf({ start, end }), bytes: end - start + localEnd.length + holeBytes, range: { start, end } };
}

/**
 * Writes a part of a result to a file of the size of the whole result. The rest of the values is a hole, which takes no
 * space on most file systems. Row numbers and offsets are therefore those of the whole result.
 * @param cached local file that has the start of the range, so that only the rest is fetched
 * @returns the checksum of a whole file
 * @throws if the bytes of a whole file are not those that were stored
 */
export async function writePart(
  storage: Storage,
  result: DescribedResult,
  { part, range }: FetchedPart,
  path: string,
  cached?: CachedRange,
): Promise<string> {
  const { key, valuesEnd, localEnd, checksum } = result;
  const file = await open(path, "wx");
  try {
    const values = await writeValues(storage, result, range, file, cached);
    await file.write(localEnd, 0, localEnd.length, valuesEnd);
    const written = checksumText(crc32(localEnd, values));
    if (part === "whole" && checksum !== undefined && written !== checksum)
      throw new Error(`Damaged result ${key}: its checksum is ${written}, expected ${checksum}.`);
    return written;
  } finally {
    await file.close();
  }
}

async function writeValues(
  storage: Storage,
  { values, ...result }: DescribedResult,
  range: ByteRange,
  file: FileHandle,
  cached: CachedRange | undefined,
): Promise<number> {
  if (range.start > 0) await file.write("PAR1", 0);
  if (values === undefined) {
    const start = cached?.range.end ?? range.start;
    if (cached !== undefined) await copyRange(cached, { start: range.start, end: start }, file);
    return fetchRange(storage, result, { start, end: range.end }, file);
  }
  const bytes = values.subarray(range.start, range.end);
  await file.write(bytes, 0, bytes.length, range.start);
  return crc32(bytes);
}
