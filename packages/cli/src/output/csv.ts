import { cellText, type OutputColumn, type RowWriter } from "./row.ts";

/** Writes CSV (RFC 4180) with a header, but with LF as line end, as Unix tools do. NULL is an empty field, an empty text is `""`. */
export function csvWriter(columns: readonly OutputColumn[]): RowWriter {
  return {
    head: () => record(columns.map(({ name }) => name)),
    page: (rows) => rows.map(record).join(""),
    tail: () => "",
  };
}

function record(values: readonly unknown[]): string {
  return `${values.map(field).join(",")}\n`;
}

function field(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = cellText(value);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
