import { cellText, type OutputColumn, printable, type RowWriter } from "./row.ts";

/** Writes a table of GitHub Flavored Markdown. NULL is written as in SQL, and a line break as `<br>`. */
export function markdownWriter(columns: readonly OutputColumn[]): RowWriter {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  return {
    head: () =>
      line(columns.map(({ name }) => cell(name))) +
      line(columns.map(({ type }) => (type === "number" ? "---:" : "---"))),
    page: (rows) => rows.map((row) => line(row.map(cell))).join(""),
    tail: () => "",
  };
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  const lines = cellText(value).split(/\r\n|\r|\n/);
  return lines.map((text) => printable(text).replaceAll(/[\\|]/g, "\\$&").replaceAll("<", "&lt;")).join("<br>");
}
