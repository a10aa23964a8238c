/**
 * `not played`: the client never sent a request that the case's fault fits, such as a batch.
 * `expected-failure`: failed, as the list of expected failures says. `unexpected-pass`: passed, against that list.
 */
export type Outcome = "passed" | "failed" | "not played" | "expected-failure" | "unexpected-pass";

export interface CaseResult {
  readonly name: string;
  readonly outcome: Outcome;
  /** What went wrong, none where the case passed. */
  readonly problems: readonly string[];
}

/** Whether no case failed that may not, and none passed that may not. */
export function isAsExpected(results: readonly CaseResult[]): boolean {
  return results.every(({ outcome }) => outcome !== "failed" && outcome !== "unexpected-pass");
}

/** Results as text: what is not as it should be, and a total. */
export function formatResults(results: readonly CaseResult[]): string {
  const lines = results
    .filter(({ outcome }) => outcome !== "passed" && outcome !== "expected-failure")
    .map(({ name, outcome, problems }) => [`${name}: ${outcome}`, ...problems.map((text) => `  ${text}`)].join("\n"));
  const count = (wanted: Outcome): number => results.filter(({ outcome }) => outcome === wanted).length;
  const expected = count("expected-failure");
  const total = `${count("passed")} of ${results.length} cases pass${expected > 0 ? `, ${expected} fail as expected` : ""}`;
  return [...lines, total].join("\n");
}
