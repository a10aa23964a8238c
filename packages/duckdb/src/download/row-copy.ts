import type { DuckDBConnection } from "@duckdb/node-api";
import { rowKeys } from "@quern/query-run/columns";
import { quotedText } from "../engine/quoting.ts";
import { jsonMacros } from "../reader/json-cell.ts";
import { resultRows } from "../results/result-files.ts";
import type { LocatedDownload } from "./task.ts";
import { macros, type TextCells } from "./text-cell.ts";

type RowCopy = Pick<LocatedDownload, "columns" | "files" | "target">;

/** Options for CSV of one column without quotes. The delimiter is a control character, which JSON text escapes. */
const plainLines = "csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER E'\\x01'";

/** Writes rows as CSV or JSON lines with the engine's `COPY`. The text is the same as that of `writeRowText`. */
export async function copyRowText(
  connection: DuckDBConnection,
  task: RowCopy,
  format: "csv" | "ndjson",
  cells: TextCells,
): Promise<void> {
  for (const macro of format === "csv" ? macros : jsonMacros) await connection.run(macro);
  if (format === "csv") {
    const columns = cells.map((cell, index) => `${cell} AS c${index}`);
    return copyRows(connection, task, columns, "csv, HEADER false");
  }
  const names = task.columns.map(({ name }) => name);
  await copyRows(connection, task, [jsonLine(names, cells)], plainLines);
}

/** Writes rows with the engine's `COPY`. @param form Format and options of the statement. */
export async function copyRows(
  connection: DuckDBConnection,
  { files, target }: Pick<RowCopy, "files" | "target">,
  selected: readonly string[],
  form: string,
): Promise<void> {
  await connection.run(
    `COPY (SELECT ${selected.join(", ")} FROM ${resultRows(files, quotedText)})
     TO ${quotedText(target)} (FORMAT ${form}, USE_TMP_FILE false)`,
  );
}

/**
 * Returns SQL for a row as a JSON object. The engine's own JSON would round decimals and write numbers with other
 * digits.
 */
function jsonLine(names: readonly string[], cells: readonly string[]): string {
  const members = rowKeys(names).map((key, index) => {
    const start = `${index === 0 ? "{" : ","}${JSON.stringify(key)}:`;
    return `${quotedText(start)}, coalesce(${cells[index]}, 'null')`;
  });
  // `concat` has any number of arguments; a chain of `||` would be nested too deeply for many columns.
  return `concat(${members.join(", ")}, '}') AS line`;
}
