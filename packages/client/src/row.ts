/** A row by column name; values are JSON values. */
export type UntypedRow = Readonly<Record<string, unknown>>;

/** One name for each column: a repeated one gets `_2`, `_3` and so on. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  for (const name of names) {
    let unique = name;
    for (let count = 2; taken.has(unique); count += 1) unique = `${name}_${count}`;
    taken.add(unique);
  }
  return [...taken];
}

/** Makes a row of the wire (an array in column order, or an object already) an object. */
export function rowReader(names: readonly string[]): (row: unknown) => UntypedRow {
  const keys = uniqueNames(names);
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
