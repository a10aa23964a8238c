import { cellText, type OutputColumn, printable, type RowWriter, type TextOptions } from "./row.ts";
import { textWidth } from "./text-width.ts";

/** Writes a line for each value, with the name of its column before it, under a heading for each row. */
export function verticalWriter(
  columns: readonly OutputColumn[],
  { header, nullText = "NULL" }: TextOptions = {},
): RowWriter {
  const names = columns.map(({ name }) => printable(name));
  const width = names.reduce((widest, name) => Math.max(widest, textWidth(name)), 0);
  const labels = names.map((name) => `${name}${" ".repeat(width - textWidth(name))}  `);
  let count = 0;
  const cell = (value: unknown) => (value === null || value === undefined ? nullText : printable(cellText(value)));
  return {
    head: () => "",
    page: (rows) =>
      rows
        .map((row) => {
          count += 1;
          const heading = header === false ? (count === 1 ? "" : "\n") : `── row ${count.toLocaleString("en")} ──\n`;
          return heading + labels.map((label, at) => `${`${label}${cell(row[at])}`.trimEnd()}\n`).join("");
        })
        .join(""),
    tail: () => "",
  };
}
