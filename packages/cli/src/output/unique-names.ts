/** Names that tell columns apart: a repeated one gets `_2`, `_3`, … in its order. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; seen.has(unique); count++) {
      const candidate = `${name}_${count}`;
      if (!taken.has(candidate) && !seen.has(candidate)) unique = candidate;
    }
    seen.add(unique);
    return unique;
  });
}
