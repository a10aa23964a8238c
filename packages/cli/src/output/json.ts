import type { OutputColumn, Row, RowWriter } from "./row.ts";
import { uniqueNames } from "./unique-names.ts";

/** One array of objects, a row a line. */
export function jsonWriter(columns: readonly OutputColumn[]): RowWriter {
  const text = rowText(columns);
  let separator = "[\n";
  return {
    head: () => "",
    page(rows) {
      const lines = rows.map((row) => {
        const line = separator + text(row);
        separator = ",\n";
        return line;
      });
      return lines.join("");
    },
    tail: () => (separator === ",\n" ? "\n]\n" : "[]\n"),
  };
}

/** An object a line. */
export function jsonlWriter(columns: readonly OutputColumn[]): RowWriter {
  const text = rowText(columns);
  return { head: () => "", page: (rows) => rows.map((row) => `${text(row)}\n`).join(""), tail: () => "" };
}

function rowText(columns: readonly OutputColumn[]): (row: Row) => string {
  const keys = uniqueNames(columns.map(({ name }) => name)).map((name) => JSON.stringify(name));
  return (row) => `{${keys.map((key, at) => `${key}:${JSON.stringify(row[at] ?? null)}`).join(",")}}`;
}
