import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { quotedText } from "../engine/quoting.ts";
import { resultRows } from "../results/result-files.ts";
import type { LocatedDownload } from "./task.ts";

/** Largest number of rows of a range. */
const maxRangeRows = 20_000;
/**
 * Approximate size of a range in the stored file, in bytes. Its values in JavaScript need several times as much memory.
 */
const rangeBytes = 4_000_000;

/**
 * Yields the values of a result in ranges of rows, by column. Each range is a query that is checked for completeness,
 * because a stream of the engine can fail without an error.
 */
export async function* rowRanges(
  connection: DuckDBConnection,
  { files, rowCount, totalBytes }: LocatedDownload,
  cells: readonly string[],
): AsyncGenerator<readonly DuckDBValue[][]> {
  const step = Math.max(1, Math.min(maxRangeRows, Math.floor((rangeBytes * rowCount) / Math.max(1, totalBytes))));
  for (let from = 0; from < rowCount; from += step) {
    const to = Math.min(from + step, rowCount);
    const reader = await connection.runAndReadAll(
      `SELECT ${cells.join(", ")} FROM ${resultRows(files, quotedText)}
       WHERE file_row_number >= ${from} AND file_row_number < ${to}`,
    );
    if (reader.currentRowCount !== to - from)
      throw new Error(
        `Incomplete result: ${reader.currentRowCount} of the rows ${from} to ${to - 1} were read, counted from 0.`,
      );
    yield reader.getColumns();
  }
}
