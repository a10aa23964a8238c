import { cellText, type OutputColumn, printable, type RowWriter } from "./row.ts";
import { clipped, textWidth } from "./text-width.ts";

const gap = "  ";

export interface TableOptions {
  /** Columns of the terminal that the table has to fit; by default cells are printed whole. */
  readonly terminalWidth?: number | undefined;
  /** Called with the number of table columns that the terminal has no space for. */
  readonly onHidden?: (count: number) => void;
}

/** Aligned columns. Their widths follow the first page; a wider cell of a later page is printed whole, or clipped to fit. */
export function tableWriter(
  columns: readonly OutputColumn[],
  { terminalWidth, onHidden }: TableOptions = {},
): RowWriter {
  const names = columns.map(({ name }) => printable(name));
  let widths: readonly number[] | undefined;

  function line(cells: readonly string[]): string {
    const shown = (widths ?? []).map((width, at) => {
      const text = cells[at] ?? "";
      const cell = terminalWidth === undefined ? text : clipped(text, width);
      const padding = " ".repeat(Math.max(0, width - textWidth(cell)));
      return columns[at]?.type === "number" ? padding + cell : cell + padding;
    });
    return `${shown.join(gap).trimEnd()}\n`;
  }

  function header(rows: readonly (readonly string[])[]): string {
    const cellWidths = columns.map((_, at) =>
      rows.reduce((width, row) => Math.max(width, textWidth(row[at] ?? "")), 0),
    );
    const natural = cellWidths.map((width, at) => Math.max(width, textWidth(names[at] ?? "")));
    widths = natural;
    if (terminalWidth !== undefined) {
      // The digits of a number are never cut.
      const least = columns.map(({ type, isWhole }, at) => (isWhole || type === "number" ? cellWidths[at] : undefined));
      widths = fittedWidths(natural, least, terminalWidth, gap.length);
      if (widths.length < natural.length) onHidden?.(natural.length - widths.length);
    }
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

/** The text of a cell; null is written as in SQL, which tells it from an empty text. */
function tableCell(value: unknown): string {
  return value === null || value === undefined ? "NULL" : printable(cellText(value));
}

/** Columns of a terminal that remain readable when a text is clipped. */
const readable = 8;

/**
 * Narrows the widest columns until the table fits, and drops columns from the right where that is not enough.
 * @param least Width that a column keeps; by default as much as remains readable.
 */
function fittedWidths(
  natural: readonly number[],
  least: readonly (number | undefined)[],
  terminalWidth: number,
  gap: number,
): readonly number[] {
  const totalOf = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
  const narrowed = (cap: number) =>
    natural.map((width, at) => Math.max(Math.min(width, cap), Math.min(width, least[at] ?? readable)));
  let cap = Math.min(Math.max(...natural), terminalWidth);
  while (cap > 0 && totalOf(narrowed(cap)) > terminalWidth) cap -= 1;
  const widths = narrowed(cap);
  while (widths.length > 1 && totalOf(widths) > terminalWidth) widths.pop();
  return widths.map((width) => Math.min(width, terminalWidth));
}
