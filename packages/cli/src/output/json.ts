import type { OutputColumn, Row, RowWriter } from "./row.ts";

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
  const keys = columns.map(({ key }) => JSON.stringify(key));
  return (row) => `{${keys.map((key, at) => `${key}:${JSON.stringify(row[at] ?? null)}`).join(",")}}`;
}
