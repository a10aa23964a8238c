import { type CaseResult, failuresOf } from "./check.ts";

/** Failed checks with the same cause. */
export interface Cause {
  readonly first: CaseResult;
  readonly others: readonly CaseResult[];
  /**
   * One problem of each kind: those of the first check, then those of the other checks with the id of the check, the most
   * frequent first.
   */
  readonly problems: readonly string[];
}

/** Groups failed checks by the problem that most checks share. The cause with the most checks comes first. */
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
      for (const result of [first, ...others])
        for (const problem of failuresOf(result))
          if (!samples.has(keyOf(problem)))
            samples.set(keyOf(problem), result === first ? problem : `${result.id}: ${problem}`);
      const own = new Set(failuresOf(first).map(keyOf));
      const rest = [...samples.keys()].filter((key) => !own.has(key) && counts.has(key));
      const ordered = [...own, ...rest.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))];
      return [{ first, others, problems: ordered.flatMap((key) => samples.get(key) ?? []) }];
    });
}

/**
 * Returns false for the lines of a check that are not problems of the server: a counterexample, or a number of further
 * problems.
 */
function isFault(problem: string): boolean {
  return !/^counterexample: |(^|: )and \d+ more$/.test(problem);
}

/** Matches an unexpected error -32601, which is one cause for all methods. */
const methodNotFound = /(?:, got |not allowed: |got the error )(?:\{"code":)?-32601\b/;

/** Returns the kind of a problem: its text without the step, method, status, values, numbers and ids. */
function keyOf(problem: string): string {
  if (methodNotFound.test(problem)) return "the method does not exist";
  return problem
    .replace(/^(fixture \w+: )?([\w.]+(, [^:]*)?: (?!expected ))?(step \d+(?: \([^)]*\))?: )?(HTTP \d+: )?/, "")
    .replace(/: expected .*, got .*$/s, ": expected …")
    .replace(/(got |: )[{["].*$/s, "$1…")
    .replace(/ was .* and is .*$/s, " was …")
    .replace(/"(\\.|[^"\\])*"/g, "…")
    .replace(/-?\d+(\.\d+)?/g, "0");
}
