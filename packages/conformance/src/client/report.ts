/** `not played`: the client never sent a request that the case's fault fits, such as a batch. */
export type Outcome = "passed" | "failed" | "not played";

export interface CaseResult {
  readonly name: string;
  readonly outcome: Outcome;
  /** What went wrong, none where the case passed. */
  readonly problems: readonly string[];
}

/** Results as text: what is not as it should be, and a total. */
export function formatResults(results: readonly CaseResult[]): string {
  const lines = results
    .filter(({ outcome }) => outcome !== "passed")
    .map(({ name, outcome, problems }) => [`${name}: ${outcome}`, ...problems.map((text) => `  ${text}`)].join("\n"));
  const passed = results.length - lines.length;
  return [...lines, `${passed} of ${results.length} cases pass`].join("\n");
}
