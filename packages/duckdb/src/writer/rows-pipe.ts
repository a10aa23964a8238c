import { execFile } from "node:child_process";
import { chmod, rename, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { resultTooLarge } from "../results/result-cap.ts";
import { partSeparator } from "./part-bytes.ts";
import { openPipe } from "./pipe.ts";
import type { Piece } from "./rows-file.ts";
import type { RowEncoding } from "./task.ts";

/**
 * Number of pipes for the rows of one result. The engine keeps the bytes of a pipe with JSON in memory until the end of
 * the pipe, so JSON goes through several pipes. It forgets those of CSV.
 */
export function pipeCount(encoding: RowEncoding): number {
  return encoding === "csv" ? 1 : 64;
}

/**
 * Creates named pipes that processes of other users can read. Returns false on systems without the program mkfifo, and
 * on those other than Linux, where it is undefined to open a pipe for both reading and writing.
 */
export async function createPipes(paths: readonly string[]): Promise<boolean> {
  if (process.platform !== "linux") return false;
  return promisify(execFile)("mkfifo", ["-m", "644", ...paths]).then(
    () => true,
    () => false,
  );
}

/** Least number of bytes of JSON in a pipe, except in the last one. */
const leastPipeBytes = 33_554_432;

export interface PipedRows {
  readonly encoding: RowEncoding;
  /** Pipes, which the process reads one after the other. */
  readonly paths: readonly string[];
  /** Largest number of bytes in all pipes together. */
  readonly maxBytes: number;
}

/**
 * Writes pieces to pipes while a process reads them. The caller ends the process after a failure, because to the process
 * the pieces before it look complete.
 * @throws {StatementError} `ResultTooLarge` beyond `maxBytes`
 */
export async function pipePieces(
  { encoding, paths, maxBytes }: PipedRows,
  pieces: AsyncIterable<Piece>,
  signal: AbortSignal,
): Promise<void> {
  const [first = "", ...unused] = paths;
  const isArray = encoding === "arrays" || encoding === "positional-arrays";
  const pipeBytes = Math.max(leastPipeBytes, maxBytes / paths.length);
  let pipe = openPipe(first, signal);
  let bytes = 0;
  let nextPipeAt = pipeBytes;
  try {
    for await (const piece of pieces) {
      bytes += Buffer.byteLength(piece);
      if (bytes > maxBytes) throw resultTooLarge(`${maxBytes} bytes of text`);
      const next = bytes > nextPipeAt && (encoding === "lines" || piece === partSeparator) ? unused.shift() : undefined;
      if (next === undefined) {
        await pipe.write(piece);
        continue;
      }
      if (isArray) await pipe.write("]\n");
      await pipe.end();
      pipe = openPipe(next, signal);
      nextPipeAt = bytes + pipeBytes;
      await pipe.write(isArray ? "[" : piece);
    }
    await pipe.flush(); // before the process opens a pipe, it looks for all of them
    // The process opens the next one once this pipe has ended.
    for (const path of unused) await replacePipe(path, isArray ? "[]\n" : "");
    await pipe.end();
  } catch (error) {
    signal.throwIfAborted(); // a write in progress reports its cancellation
    throw error;
  } finally {
    pipe.destroy();
  }
}

/** Replaces a pipe that gets no rows by a file, which the process can open without a writer. */
async function replacePipe(path: string, text: string): Promise<void> {
  const file = `${path}.file`;
  await writeFile(file, text, { flag: "wx" });
  await chmod(file, 0o644); // whatever the umask is
  await rename(file, path);
}
