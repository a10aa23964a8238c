import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { CachedFile, FileCache } from "../cache/file-cache.ts";
import type { ByteRange } from "../storage/range.ts";

/** Local file with a range of the values of a result, at the offsets of the whole file. */
export interface CachedRange {
  readonly file: CachedFile;
  readonly range: ByteRange;
}

/** Returns the name in the cache of a range. */
export function partOf({ start, end }: ByteRange): string {
  return `${start}-${end}`;
}

/**
 * Opens the cached range that has the start of a range and ends last, such as that of the page before. Returns
 * undefined if there is none. It does not wait for a file that is being written, which could wait for this one.
 */
export async function openStart(
  cache: Pick<FileCache, "find" | "parts">,
  result: string,
  { start }: ByteRange,
): Promise<CachedRange | undefined> {
  const ranges = cache
    .parts(result)
    .flatMap((part) => rangeOf(part) ?? [])
    .filter((range) => range.start <= start && range.end > start)
    .sort((one, other) => other.end - one.end);
  const [range] = ranges;
  if (range === undefined) return undefined;
  const file = await cache.find(result, partOf(range));
  return file && { file, range };
}

/** Copies a range to another file, at the same offset. */
export async function copyRange({ file: { path } }: CachedRange, range: ByteRange, target: FileHandle): Promise<void> {
  let at = range.start;
  for await (const chunk of createReadStream(path, { start: range.start, end: range.end - 1 })) {
    await target.write(chunk, 0, chunk.length, at);
    at += chunk.length;
  }
}

function rangeOf(part: string): ByteRange | undefined {
  const [, start, end] = /^(\d+)-(\d+)$/.exec(part) ?? [];
  return start === undefined ? undefined : { start: Number(start), end: Number(end) };
}
