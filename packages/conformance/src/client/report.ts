import type { CaseLevel } from "./case.ts";

/**
 * `not-reached`: one of the case's faults matched no request of the client, such as a fault of batches.
 * `expected-failure`: failed or not reached, and the list of expected failures has it. `unexpected-pass`: passed,
 * although that list has it.
 */
export type Outcome = "passed" | "failed" | "not-reached" | "expected-failure" | "unexpected-pass";

/** Problem of a client: behavior that the kit forbids (`must`) or advises against (`should`). */
export interface Problem {
  readonly level: CaseLevel;
  readonly text: string;
}

export interface CaseResult {
  readonly name: string;
  /** Level of the worst problem; without problems, that of the case. */
  readonly level: CaseLevel;
  readonly outcome: Outcome;
  /** Problems of the case; empty if it passed. */
  readonly problems: readonly string[];
  /** Methods of each HTTP request that the client sent, in order; the methods of a batch are joined by `+`. */
  readonly sent: readonly string[];
}

/**
 * Returns true if no case failed unexpectedly and none passed that was expected to fail.
 * @param failOn `must` counts failures of level `should` as warnings. @default "must"
 */
export function isAsExpected(results: readonly CaseResult[], failOn: CaseLevel = "must"): boolean {
  return results.every(
    ({ outcome, level }) =>
      outcome !== "unexpected-pass" && (outcome !== "failed" || (failOn === "must" && level === "should")),
  );
}

/**
 * Formats results as text: failures by level, unexpected passes, the cases that were not reached, the totals and a
 * verdict.
 */
export function formatResults(results: readonly CaseResult[], failOn: CaseLevel = "must"): string {
  const withOutcome = (outcome: Outcome, level?: CaseLevel) =>
    results.filter((result) => result.outcome === outcome && (level === undefined || result.level === level));
  const text = ({ name, level, problems, sent }: CaseResult) =>
    [`${level}: ${name}`, ...problems.map((problem) => `  ${problem}`), `  sent: ${sentText(sent)}`].join("\n");
  const unexpected = withOutcome("unexpected-pass").map(
    ({ name }) => `${name}: passes; remove it from the expected failures`,
  );
  const unreached = withOutcome("not-reached");
  const unreachedLines = unreached.length > 0 ? [`not reached: ${unreached.map(({ name }) => name).join(", ")}`] : [];
  const counts = [
    `${withOutcome("passed").length} of ${results.length} cases pass`,
    `failures: ${withOutcome("failed", "must").length} must, ${withOutcome("failed", "should").length} should`,
    ...(withOutcome("expected-failure").length > 0
      ? [`${withOutcome("expected-failure").length} fail as expected`]
      : []),
    ...(unreached.length > 0 ? [`${unreached.length} not reached`] : []),
  ];
  return [
    ...withOutcome("failed", "must").map(text),
    ...withOutcome("failed", "should").map(text),
    ...unexpected,
    ...unreachedLines,
    counts.join("; "),
    verdict(results, failOn),
  ].join("\n");
}

function verdict(results: readonly CaseResult[], failOn: CaseLevel): string {
  if (results.every(({ outcome }) => outcome === "not-reached"))
    return "no verdict: the client sent no request that a fault matches";
  return isAsExpected(results, failOn) ? "the client passes" : "the client fails";
}

/** Formats requests as a list in which equal neighbors are counted. */
export function sentText(sent: readonly string[]): string {
  const starts = sent.flatMap((one, index) => (one === sent[index - 1] ? [] : [index]));
  const groups = starts.map((start, index) => ({
    one: sent[start] ?? "",
    times: (starts[index + 1] ?? sent.length) - start,
  }));
  return groups.map(({ one, times }) => (times === 1 ? one : `${one} ${times} times`)).join(", ") || "nothing";
}
