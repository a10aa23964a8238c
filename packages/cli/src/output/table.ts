import { cellText, printable } from "./cell.ts";
import type { OutputColumn, RowWriter } from "./row.ts";
import { textWidth } from "./text-width.ts";

const gap = "  ";

/** Columns under each other. Their widths follow the first page; what is wider on a later one is written whole. */
export function tableWriter(columns: readonly OutputColumn[]): RowWriter {
  const names = columns.map(({ name }) => printable(name));
  let widths: readonly number[] | undefined;

  function line(cells: readonly string[]): string {
    const padded = cells.map((cell, at) => {
      const padding = " ".repeat(Math.max(0, (widths?.[at] ?? 0) - textWidth(cell)));
      return columns[at]?.type === "number" ? padding + cell : cell + padding;
    });
    return `${padded.join(gap).trimEnd()}\n`;
  }

  function header(rows: readonly (readonly string[])[]): string {
    widths = names.map((name, at) =>
      rows.reduce((width, row) => Math.max(width, textWidth(row[at] ?? "")), textWidth(name)),
    );
    return line(names) + line(widths.map((width) => "─".repeat(width)));
  }

  return {
    head: () => "",
    page(rows) {
      const cells = rows.map((row) => row.map(tableCell));
      const head = widths === undefined ? header(cells) : "";
      return head + cells.map(line).join("");
    },
    tail: () => (widths === undefined ? header([]) : ""),
  };
}

/** A null is written as in SQL, which an empty text is not. */
function tableCell(value: unknown): string {
  return value === null || value === undefined ? "NULL" : printable(cellText(value));
}
