import type { GetQueryRunResultsResult } from "@quern/client";

/** Widths and order of the columns that the user has changed. */
export interface ColumnLayout {
  /** Widths in pixels, by the names of the columns. */
  readonly columnWidths?: Readonly<Record<string, number>> | undefined;
  /** Names of the columns in their order. */
  readonly columnOrder?: readonly string[] | undefined;
}

/**
 * Returns the positions of columns in a result, in the order in which the grid shows them. A column without a place
 * stands behind the one before it in the result, so that a statement with another column keeps the rest of the order.
 * @param placed names of columns in the order of the user; one that the result lacks is left out
 */
export function columnOrder(names: readonly string[], placed: readonly string[]): readonly number[] {
  const free = new Map<string, number[]>();
  for (const [index, name] of names.entries()) free.set(name, [...(free.get(name) ?? []), index]);
  const order = placed.flatMap((name) => free.get(name)?.shift() ?? []);
  if (order.length === 0) return [...names.keys()];
  const taken = new Set(order);
  for (const index of names.keys())
    if (!taken.has(index)) order.splice(index === 0 ? 0 : order.indexOf(index - 1) + 1, 0, index);
  return order;
}

/** Returns an order after a column has moved to another position. */
export function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from];
  return item === undefined ? items : items.toSpliced(from, 1).toSpliced(to, 0, item);
}

export const isOwnOrder = (order: readonly number[]): boolean => order.every((index, position) => index === position);

/** Returns a page of a result with its columns in an order. */
export function arrangedPage(page: GetQueryRunResultsResult, order: readonly number[]): GetQueryRunResultsResult {
  if (isOwnOrder(order)) return page;
  const arranged = <Item>(items: readonly Item[] | null) => items && arrangedRow(items, order);
  const { columnNames, columnTypes, columnEngineTypes, rows } = page;
  return {
    ...page,
    columnNames: arranged(columnNames),
    columnTypes: arranged(columnTypes),
    columnEngineTypes: arranged(columnEngineTypes ?? null),
    rows: rows?.map((row) => (Array.isArray(row) ? arrangedRow(row, order) : row)) ?? null,
  };
}

/** Returns the values of a row in an order. */
export const arrangedRow = <Item>(row: readonly Item[], order: readonly number[]): Item[] =>
  order.flatMap((index) => row.slice(index, index + 1));
