import type { FileHandle } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { rowKeys } from "@quern/query-run/columns";
import { pageCell } from "../engine/column-type.ts";
import { storedType } from "../engine/stored-type.ts";
import { cellWriter } from "../results/cell.ts";
import { rowRanges } from "./row-ranges.ts";
import type { LocatedDownload } from "./task.ts";

/**
 * Writes rows as CSV or JSON lines in JavaScript, with the cell writers of result pages. It is used if the engine would
 * write the values of a column differently than result pages do.
 */
export async function writeRowText(
  connection: DuckDBConnection,
  task: LocatedDownload,
  target: FileHandle,
): Promise<void> {
  const types = task.columns.map(storedType);
  const writers = types.map(cellWriter);
  const names = task.columns.map(({ name }) => name);
  const keys = rowKeys(names).map((key, index) => `${index === 0 ? "{" : ","}${JSON.stringify(key)}:`);
  const cells = types.map((type, index) => pageCell(type, `c${index}`));
  for await (const chunks of rowRanges(connection, task, cells)) {
    const written = writers.map((write, index) => chunks.flatMap((chunk) => chunk.getColumnValues(index).map(write)));
    const rows = Array.from({ length: written[0]?.length ?? 0 }, (_, row) => {
      const values = written.map((column) => column[row] ?? "null");
      return task.format === "csv"
        ? `${values.map(csvText).join(",")}\n`
        : `${values.map((value, index) => keys[index] + onOneLine(value)).join("")}}\n`;
    });
    await target.writeFile(rows.join(""));
  }
}

/** Returns the line with the names of the columns. */
export function csvHeader(names: readonly string[]): string {
  return `${names.map(quotedWhereNeeded).join(",")}\n`;
}

/** Converts a JSON value to a CSV field: text without JSON quotes, an empty field for null. */
function csvText(json: string): string {
  if (json === "null") return "";
  return quotedWhereNeeded(json.startsWith('"') ? String(JSON.parse(json)) : json);
}

/** Replaces line breaks with spaces. In JSON they occur only between values, because strings escape them. */
function onOneLine(json: string): string {
  return json.replaceAll(/[\r\n]/g, " ");
}

/** Quotes a field if necessary. An empty text has quotes, which distinguish it from null. */
function quotedWhereNeeded(text: string): string {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
