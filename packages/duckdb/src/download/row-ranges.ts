import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { quotedText } from "../engine/quoting.ts";
import { resultRows } from "../results/result-files.ts";
import type { LocatedDownload } from "./task.ts";

/** Number of rows at which a range ends. Its last chunk may exceed it. */
const maxRangeRows = 20_480;
/**
 * Approximate size of a range in the stored file, in bytes. Its values in JavaScript need several times as much memory.
 */
const rangeBytes = 4_000_000;
/**
 * Bytes of texts in memory at which a range ends. Its last chunk may exceed them. The file may be much smaller, because
 * it is compressed.
 */
const rangeTextBytes = 32_000_000;
/** Number of rows of a full chunk. */
const chunkRows = 2_048;

/**
 * Yields the rows of a result in ranges, as chunks of the engine. Reads the next range while the caller uses one. The
 * chunks are valid until the caller requests the next range. The rows are counted, because a stream of the engine can
 * fail without an error.
 * @param textBytes Returns the size of the texts of a chunk, to limit that of a range. @default no limit on texts
 */
export async function* rowRanges(
  connection: DuckDBConnection,
  task: LocatedDownload,
  cells: readonly string[],
  textBytes: (chunk: DuckDBDataChunk) => number = () => 0,
): AsyncGenerator<readonly DuckDBDataChunk[]> {
  const { rowCount, totalBytes } = task;
  const rangeRows = Math.max(1, Math.min(maxRangeRows, Math.floor((rangeBytes * rowCount) / Math.max(1, totalBytes))));
  const chunks = chunksOf(connection, task, cells, rangeRows);
  const readNext = (): Promise<readonly DuckDBDataChunk[]> => {
    const range = readRange(chunks, rangeRows, textBytes);
    range.catch(() => {}); // the error is thrown when the range is awaited
    return range;
  };
  let next = readNext();
  try {
    for (let range = await next; range.length > 0; range = await next) {
      next = readNext();
      yield range;
      for (const chunk of range) chunk.reset(); // the garbage collector does not know the size of their texts
    }
  } finally {
    await next.catch(() => {}); // the caller can close the connection only after it
  }
}

async function readRange(
  chunks: AsyncGenerator<DuckDBDataChunk>,
  rangeRows: number,
  textBytes: (chunk: DuckDBDataChunk) => number,
): Promise<readonly DuckDBDataChunk[]> {
  const range: DuckDBDataChunk[] = [];
  for (let [rows, bytes] = [0, 0]; rows < rangeRows && bytes < rangeTextBytes; ) {
    const { value: chunk } = await chunks.next();
    if (chunk === undefined) break;
    range.push(chunk);
    rows += chunk.rowCount;
    bytes += textBytes(chunk);
  }
  return range;
}

/** Yields the chunks of one query for each file, or for each range if a range is smaller than a chunk. */
async function* chunksOf(
  connection: DuckDBConnection,
  { files, rowCount }: LocatedDownload,
  cells: readonly string[],
  rangeRows: number,
): AsyncGenerator<DuckDBDataChunk, undefined> {
  for (const [index, { path, firstRow }] of files.entries()) {
    const fileRows = (files[index + 1]?.firstRow ?? rowCount) - firstRow;
    const queryRows = rangeRows < chunkRows ? rangeRows : fileRows;
    for (let from = 0; from < fileRows; from += queryRows) {
      const to = Math.min(from + queryRows, fileRows);
      const result = await connection.stream(
        `SELECT ${cells.join(", ")} FROM ${resultRows([{ path, firstRow: 0 }], quotedText)}
         WHERE file_row_number >= ${from} AND file_row_number < ${to}`,
      );
      let read = 0;
      for await (const chunk of result) {
        read += chunk.rowCount;
        yield chunk;
      }
      if (read !== to - from)
        throw new Error(
          `Incomplete result: ${read} of the rows ${firstRow + from} to ${firstRow + to - 1} were read, counted from 0.`,
        );
    }
  }
}
