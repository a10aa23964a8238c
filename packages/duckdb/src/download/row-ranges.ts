import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { quotedText } from "../engine/quoting.ts";
import { resultRows } from "../results/result-files.ts";
import type { LocatedDownload } from "./task.ts";

const maxRangeRows = 20_000;
/** Of stored bytes, which become several times as many as values. */
const rangeBytes = 4_000_000;

/** The values of a result, column by column, some rows at a time and each complete: streams of the engine can end early. */
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
    if (reader.currentRowCount !== to - from) throw new Error(`the result has not the rows ${from} to ${to}`);
    yield reader.getColumns();
  }
}
