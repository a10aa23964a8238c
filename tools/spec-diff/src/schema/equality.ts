/** Remembers which pairs of schemas allow the same values. */
export interface Equality {
  /** Returns the result for a pair. A pair that is met again while it is compared, in a recursive schema, counts as equal. */
  get(pair: string, compare: () => boolean): boolean;
}

export function createEquality(): Equality {
  const results = new Map<string, boolean>();
  /** Pairs that were found equal, in the order of their comparisons. */
  const equal: string[] = [];
  return {
    get(pair, compare) {
      const known = results.get(pair);
      if (known !== undefined) return known;
      const start = equal.push(pair) - 1;
      results.set(pair, true);
      const isEqual = compare();
      // Pairs within this one may be equal only on the assumption that this one is.
      if (!isEqual) for (const other of equal.splice(start)) results.delete(other);
      results.set(pair, isEqual);
      return isEqual;
    },
  };
}
