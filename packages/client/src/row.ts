import { uniqueNames } from "@quern/protocol/column-names";

/** A row by column name; values are JSON values. */
export type UntypedRow = Readonly<Record<string, unknown>>;

/**
 * The keys of the rows, in column order.
 * @param row One of them as it came; an object has its keys already, which are the names in lower case.
 */
export function rowKeys(columnNames: readonly string[], row: unknown): readonly string[] {
  const keys = uniqueNames(columnNames);
  if (typeof row !== "object" || row === null || Array.isArray(row)) return keys;
  return keys.map((key) => (Object.hasOwn(row, key) ? key : key.toLowerCase()));
}

/** Makes a row of the wire (an array in column order, or an object already) an object. */
export function rowReader(keys: readonly string[]): (row: unknown) => UntypedRow {
  // Assigning to `__proto__` would set the prototype and lose the cell.
  const objectOf = keys.includes("__proto__") ? definedRow : assignedRow;
  // A row that is no array has the form `json`.
  return (row) => (Array.isArray(row) ? objectOf(keys, row) : (row as UntypedRow));
}

function definedRow(keys: readonly string[], cells: readonly unknown[]): UntypedRow {
  return Object.fromEntries(keys.map((key, index) => [key, cells[index]]));
}

function assignedRow(keys: readonly string[], cells: readonly unknown[]): UntypedRow {
  const row: Record<string, unknown> = {};
  let index = 0;
  for (const key of keys) {
    row[key] = cells[index];
    index += 1;
  }
  return row;
}
