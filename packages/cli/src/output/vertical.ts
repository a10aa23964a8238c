import { groupedDigits } from "./digits.ts";
import { cellText, dimmed, type OutputColumn, printable, type RowWriter, type TextOptions } from "./row.ts";
import { textWidth } from "./text-width.ts";

/** Writes a line for each value, with the name of its column before it, under a heading for each row. */
export function verticalWriter(
  columns: readonly OutputColumn[],
  { header, nullText = "NULL", isNullDimmed }: TextOptions = {},
): RowWriter {
  const names = columns.map(({ name }) => printable(name));
  const width = names.reduce((widest, name) => Math.max(widest, textWidth(name)), 0);
  const labels = names.map((name) => `${name}${" ".repeat(width - textWidth(name))}  `);
  let count = 0;
  const nullCell = isNullDimmed ? dimmed(printable(nullText)) : printable(nullText);
  const cell = (value: unknown) => (value === null || value === undefined ? nullCell : printable(cellText(value)));
  return {
    head: () => "",
    page: (rows) =>
      rows
        .map((row) => {
          count += 1;
          const heading = header === false ? (count === 1 ? "" : "\n") : `── row ${groupedDigits(count)} ──\n`;
          return heading + labels.map((label, at) => `${`${label}${cell(row[at])}`.trimEnd()}\n`).join("");
        })
        .join(""),
    tail: () => "",
  };
}
