import { replaceEqualDeep } from "@tanstack/react-query";

/** Marks of results as they were read. Data that is selected from one, or put in its place, may name the run too, and is unmarked. */
const marks = /*@__PURE__*/ new WeakMap<WeakKey, string>();

/** Marks a result; those of equal marks hold the same rows. */
export function asRead<Results extends object>(results: Results, mark: string): Results {
  marks.set(results, mark);
  return results;
}

/** Structural sharing that compares results by their marks and not by their rows. */
export function sameRun(previous: unknown, next: unknown): unknown {
  const mark = markOf(next);
  if (mark === undefined) return replaceEqualDeep(previous, next);
  return mark === markOf(previous) ? previous : next;
}

function markOf(data: unknown): string | undefined {
  return marks.get(data as WeakKey); // A value that is no object has no mark.
}
