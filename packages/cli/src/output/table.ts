import { cellText, dimmed, type OutputColumn, printable, type Row, type RowWriter, type TextOptions } from "./row.ts";
import { clipped, textWidth } from "./text-width.ts";

const gap = "  ";

export interface TableOptions extends TextOptions {
  /** Width of the terminal in characters. @default undefined: cells are not shortened */
  readonly terminalWidth?: number | undefined;
  /** Called when a column does not fit the terminal, or a cell is shortened. */
  readonly onCut?: (cut: TableCut) => void;
}

/** Columns or cells that do not fit the width of the terminal. */
export type TableCut = { readonly hiddenColumns: number } | { readonly hasShortenedCells: true };

/** Writes aligned columns. The first page sets their widths; a wider cell of a later page is shortened if the width is limited. */
export function tableWriter(
  columns: readonly OutputColumn[],
  { terminalWidth, onCut, header: hasHeader = true, nullText = "NULL", isNullDimmed = false }: TableOptions = {},
): RowWriter {
  const names = columns.map(({ name }) => (hasHeader ? printable(name) : ""));
  let widths: readonly number[] | undefined;

  function line(cells: readonly string[], row?: Row): string {
    const shown = (widths ?? []).map((width, at) => {
      const whole = cells[at] ?? "";
      const cell = terminalWidth === undefined ? whole : clipped(whole, width);
      if (cell !== whole) onCut?.({ hasShortenedCells: true });
      const padding = " ".repeat(Math.max(0, width - textWidth(cell)));
      const isDimmed = isNullDimmed && row !== undefined && (row[at] ?? null) === null;
      const text = isDimmed ? dimmed(cell) : cell;
      return columns[at]?.type === "number" ? padding + text : text + padding;
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
      // Numbers of the first page are not narrowed, because fewer digits would be another number.
      const least = columns.map(({ type, isWhole, minimumWidth }, at) =>
        isWhole || type === "number" ? cellWidths[at] : minimumWidth,
      );
      widths = fittedWidths(natural, least, terminalWidth, gap.length);
      if (widths.length < natural.length) onCut?.({ hiddenColumns: natural.length - widths.length });
    }
    return hasHeader ? line(names) + line(widths.map((width) => "─".repeat(width))) : "";
  }

  return {
    head: () => "",
    page(rows) {
      const cells = rows.map((row) => row.map((value) => tableCell(value, nullText)));
      const head = widths === undefined ? header(cells) : "";
      return head + cells.map((texts, at) => line(texts, rows[at])).join("");
    },
    tail: () => (widths === undefined ? header([]) : ""),
  };
}

/** Formats a cell. NULL is written as in SQL, to differ from an empty text. */
function tableCell(value: unknown, nullText: string): string {
  return value === null || value === undefined ? printable(nullText) : printable(cellText(value));
}

/** Least width of a shortened text, in characters. */
const defaultWidth = 8;

/**
 * Narrows the widest columns until the table fits, then drops columns from the right if it is still too wide. A first
 * column that is wider than the terminal alone is cut to its width.
 * @param least Least width of each column, in characters. @default 8
 */
function fittedWidths(
  natural: readonly number[],
  least: readonly (number | undefined)[],
  terminalWidth: number,
  gap: number,
): readonly number[] {
  const totalOf = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
  const narrowed = (cap: number) =>
    natural.map((width, at) => Math.max(Math.min(width, cap), Math.min(width, least[at] ?? defaultWidth)));
  const narrowest = narrowed(0);
  while (narrowest.length > 1 && totalOf(narrowest) > terminalWidth) narrowest.pop();
  const shown = (cap: number) => narrowed(cap).slice(0, narrowest.length);
  let cap = Math.min(Math.max(...natural), terminalWidth);
  while (cap > 0 && totalOf(shown(cap)) > terminalWidth) cap -= 1;
  return shown(cap).map((width) => Math.min(width, terminalWidth));
}
