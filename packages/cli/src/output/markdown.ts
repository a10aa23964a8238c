import { cellText, type OutputColumn, printable, type RowWriter, type TextOptions } from "./row.ts";

/** Writes a table of GitHub Flavored Markdown. NULL is written as in SQL, and a line break as `<br>`. */
export function markdownWriter(columns: readonly OutputColumn[], { nullText = "NULL" }: TextOptions = {}): RowWriter {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const cell = (value: unknown) =>
    value === null || value === undefined ? escaped(nullText) : escaped(cellText(value));
  return {
    head: () =>
      line(columns.map(({ name }) => cell(name))) +
      line(columns.map(({ type }) => (type === "number" ? "---:" : "---"))),
    page: (rows) => rows.map((row) => line(row.map(cell))).join(""),
    tail: () => "",
  };
}

function escaped(text: string): string {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.map((line) => printable(line).replaceAll(/[\\|]/g, "\\$&").replaceAll("<", "&lt;")).join("<br>");
}
