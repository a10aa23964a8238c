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
  if (keys.includes("__proto__")) {
    return (row) =>
      Array.isArray(row) ? Object.fromEntries(keys.map((key, index) => [key, row[index]])) : (row as UntypedRow);
  }
  return (row) => {
    if (!Array.isArray(row)) return row as UntypedRow;
    const object: Record<string, unknown> = {};
    for (let index = 0; index < keys.length; index += 1) object[keys[index] as string] = row[index];
    return object;
  };
}
