import { isUtf8 } from "node:buffer";
import { type CsvOptions, SourceError } from "../sources/origin.ts";
import { bytesOf, type Chunks } from "./file-bytes.ts";

export function encodingOf(head: Buffer, shown: string, { encoding }: CsvOptions): string {
  if (encoding !== undefined) return new TextDecoder(encoding).encoding;
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const start = head.subarray(0, 1000);
  const zeros = start.filter((byte) => byte === 0).length;
  if (zeros * 4 < start.length || zeros === 0) return "utf-8";
  throw new SourceError(
    `Text that is not UTF-8: ${shown}: it has NUL bytes; add --encoding ${start[0] === 0 ? "utf-16be" : "utf-16le"}`,
  );
}

/** Yields the bytes in UTF-8, without a byte order mark. */
export async function* decoded(path: string, encoding: string, shown: string): Chunks {
  if (encoding === "utf-8") return yield* checkedUtf8(path, shown);
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (chunk?: Buffer): Buffer => {
    try {
      return Buffer.from(decoder.decode(chunk, { stream: chunk !== undefined }));
    } catch {
      throw new SourceError(`Text that is not in the encoding ${encoding}: ${shown}; set another --encoding`);
    }
  };
  for await (const chunk of bytesOf(path)) yield decode(chunk);
  yield decode();
}

export async function* checkedUtf8(path: string, shown: string): Chunks {
  let [rest, isFirst] = [Buffer.alloc(0) as Buffer, true];
  for await (const chunk of bytesOf(path)) {
    const [first, end] = [chunk.indexOf(0x0a) + 1, chunk.lastIndexOf(0x0a) + 1];
    const line = Buffer.concat([rest, chunk.subarray(0, first)]);
    if (first > 0 && !(isUtf8(line) && isUtf8(chunk.subarray(first, end)))) throw await notUtf8(path, shown);
    rest = end > 0 ? Buffer.from(chunk.subarray(end)) : Buffer.concat([rest, chunk]);
    const hasMark = isFirst && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
    isFirst = false;
    yield hasMark ? chunk.subarray(3) : chunk;
  }
  if (!isUtf8(rest)) throw await notUtf8(path, shown);
}

/** Returns the error of a file that is not UTF-8, with its first such line. */
async function notUtf8(path: string, shown: string): Promise<Error> {
  let [rest, line] = [Buffer.alloc(0) as Buffer, 1];
  search: for await (const chunk of bytesOf(path)) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      if (!isUtf8(rest.subarray(0, end))) break search;
      rest = rest.subarray(end + 1);
      line += 1;
    }
  }
  return new SourceError(`Text that is not UTF-8: ${shown} line ${line}; add --encoding, such as --encoding latin1`);
}

/** Yields the bytes after a number of lines. */
export async function* withoutLines(chunks: Chunks, count: number): Chunks {
  let [left, afterReturn] = [count, false];
  for await (const chunk of chunks) {
    let at = 0;
    for (; at < chunk.length; at += 1) {
      const isPair = afterReturn && chunk[at] === 0x0a;
      if (left === 0 && !isPair) break;
      afterReturn = chunk[at] === 0x0d;
      if (afterReturn || (chunk[at] === 0x0a && !isPair)) left -= 1;
    }
    if (left === 0 && at < chunk.length) yield chunk.subarray(at);
  }
}
