/**
 * Returns unique names for the columns of a result: a repeated name gets the suffix `_2`, `_3` and so on, skipping
 * names of other columns. Engines compare names without case, so names that differ only in case count as repeated.
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

/** Returns the keys of a row in the format `json`: lower case and unique, as {@link uniqueNames} makes them. */
export function rowKeys(names: readonly string[]): string[] {
  return uniqueNames(names.map((name) => name.toLowerCase()));
}
