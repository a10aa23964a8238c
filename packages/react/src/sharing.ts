import { replaceEqualDeep } from "@tanstack/react-query";

/**
 * The runs of results as they were read. What someone selects from one, or puts in its place, may name the run too, and is
 * something else.
 */
const runs = /*@__PURE__*/ new WeakMap<WeakKey, string>();

/** Marks a result as one that says all there is of its run. */
export function asRead<Results extends { readonly queryRunId: string }>(results: Results): Results {
  runs.set(results, results.queryRunId);
  return results;
}

/** Results of the same run are the same: nothing in them needs to be compared. */
export function sameRun(previous: unknown, next: unknown): unknown {
  const run = runOf(next);
  if (run === undefined) return replaceEqualDeep(previous, next);
  return run === runOf(previous) ? previous : next;
}

function runOf(data: unknown): string | undefined {
  return runs.get(data as WeakKey); // Of what is no object there is none.
}
