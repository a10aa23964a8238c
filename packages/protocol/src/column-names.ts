/**
 * Names that tell the columns of a result apart: a repeated name gets `_2`, `_3`, … in its order, and never a name that
 * another column has. Engines compare names without case, so names that differ only in case count as repeated.
 */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  const seen = new Set<string>();
  return names.map((name) => {
    const key = name.toLowerCase();
    if (!seen.has(key)) {
      seen.add(key);
      return name;
    }
    let count = 2;
    while (taken.has(`${key}_${count}`)) count += 1;
    taken.add(`${key}_${count}`);
    return `${name}_${count}`;
  });
}

/** The keys of a row object in the `json` format: lower case, told apart as {@link uniqueNames} does. */
export function rowKeys(names: readonly string[]): string[] {
  return uniqueNames(names.map((name) => name.toLowerCase()));
}
