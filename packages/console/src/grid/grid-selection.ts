/** Place of a cell, from 0. Row -1 is the header. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The active cell, and the opposite corner of the selected cells. */
export interface GridSelection {
  readonly active: Cell;
  readonly anchor: Cell;
}

/** Selected cells; `end` members are not included. */
export interface CellRange {
  readonly firstRow: number;
  readonly endRow: number;
  readonly firstColumn: number;
  readonly endColumn: number;
}

export function rangeOf({ active, anchor }: GridSelection): CellRange {
  const rows = [Math.max(0, active.row), Math.max(0, anchor.row)].sort((a, b) => a - b);
  const columns = [active.column, anchor.column].sort((a, b) => a - b);
  return {
    firstRow: rows[0] ?? 0,
    endRow: (rows[1] ?? 0) + 1,
    firstColumn: columns[0] ?? 0,
    endColumn: (columns[1] ?? 0) + 1,
  };
}

export const isInRange = (range: CellRange, { row, column }: Cell): boolean =>
  row >= range.firstRow && row < range.endRow && column >= range.firstColumn && column < range.endColumn;

interface GridExtent {
  readonly rowCount: number;
  readonly columnCount: number;
  /** Rows that the grid shows at a time. */
  readonly pageRows: number;
}

/** Returns the cell to which a key moves from a cell; undefined if the key does not move. */
export function cellAfterKey(
  { key, ctrlKey, metaKey }: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey">,
  { row, column }: Cell,
  { rowCount, columnCount, pageRows }: GridExtent,
): Cell | undefined {
  const far = ctrlKey || metaKey;
  const lastRow = rowCount - 1;
  const lastColumn = columnCount - 1;
  const moves: Readonly<Record<string, Cell>> = {
    ArrowUp: { row: far ? 0 : row - 1, column },
    ArrowDown: { row: far ? lastRow : row + 1, column },
    ArrowLeft: { row, column: far ? 0 : column - 1 },
    ArrowRight: { row, column: far ? lastColumn : column + 1 },
    PageUp: { row: row - pageRows, column },
    PageDown: { row: row + pageRows, column },
    Home: far ? { row: 0, column: 0 } : { row, column: 0 },
    End: far ? { row: lastRow, column: lastColumn } : { row, column: lastColumn },
  };
  const next = moves[key];
  if (next === undefined) return undefined;
  // Only the arrow reaches the header; a page ends at the first row.
  const firstRow = key === "ArrowUp" && !far ? -1 : Math.min(row, 0);
  return {
    row: Math.max(firstRow, Math.min(lastRow, next.row)),
    column: Math.max(0, Math.min(lastColumn, next.column)),
  };
}
