import { type CaseResult, failuresOf } from "./check.ts";

/** Checks that fail for the same reason. */
export interface Cause {
  readonly first: CaseResult;
  readonly others: readonly CaseResult[];
  /** Problems of all of them, one of each kind: those of the first check, then those that most of the others have. */
  readonly problems: readonly string[];
}

/** Groups failed checks: each belongs to that of its problems which most checks share. The widest cause comes first. */
export function causesOf(failed: readonly CaseResult[]): readonly Cause[] {
  const keys = new Map(failed.map((result) => [result, [...new Set(failuresOf(result).filter(isFault).map(keyOf))]]));
  const counts = new Map<string, number>();
  for (const key of [...keys.values()].flat()) counts.set(key, (counts.get(key) ?? 0) + 1);
  const causes = new Map<string, CaseResult[]>();
  for (const result of failed) {
    const own = (keys.get(result) ?? []).toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
    const key = own[0] ?? "";
    causes.set(key, [...(causes.get(key) ?? []), result]);
  }
  return [...causes.values()]
    .toSorted((a, b) => b.length - a.length)
    .flatMap(([first, ...others]) => {
      if (first === undefined) return [];
      const samples = new Map<string, string>();
      for (const problem of [first, ...others].flatMap(failuresOf))
        if (!samples.has(keyOf(problem))) samples.set(keyOf(problem), problem);
      const own = new Set(failuresOf(first).map(keyOf));
      const rest = [...samples.keys()].filter((key) => !own.has(key) && counts.has(key));
      const ordered = [...own, ...rest.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))];
      return [{ first, others, problems: ordered.flatMap((key) => samples.get(key) ?? []) }];
    });
}

/** Tells whether a problem is a fault of the server: not a counterexample, nor the number of further faults. */
function isFault(problem: string): boolean {
  return !/^by |(^|: )and \d+ more$/.test(problem);
}

/** An answer with the code -32601 where another one was expected. */
const methodNotFound = /(?:, not |must not be |answered with |the error is |ends in )(?:\{"code":)?-32601\b/;

/** A problem without what differs from check to check: its step, method, status, values, numbers and identifiers. */
function keyOf(problem: string): string {
  if (methodNotFound.test(problem)) return "the method does not exist";
  return problem
    .replace(/^([\w.]+(, [^:]*)?: )?(step \d+(?: \([^)]*\))?: )?(HTTP \d+: )?/, "")
    .replace(/ is .*, not .*$/s, " is …")
    .replace(/(, not |got |: )[{["].*$/s, "$1…")
    .replace(/ was .* and is .*$/s, " was …")
    .replace(/"(\\.|[^"\\])*"/g, "…")
    .replace(/-?\d+(\.\d+)?/g, "0");
}
