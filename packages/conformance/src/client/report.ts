import type { CaseLevel } from "./case.ts";

/**
 * `not played`: the client never sent a request that the case's fault fits, such as a batch.
 * `expected-failure`: failed, as the list of expected failures says. `unexpected-pass`: passed, against that list.
 */
export type Outcome = "passed" | "failed" | "not-reached" | "expected-failure" | "unexpected-pass";

/** A problem of a client: behavior that the kit forbids (`must`) or advises against (`should`). */
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
  /** Methods of each HTTP request that the client sent, in order; those of a batch are joined by `+`. */
  readonly sent: readonly string[];
}

/** Tells whether no case failed unexpectedly and none passed that was expected to fail. With `must`, failures of level `should` are warnings. @default "must" */
export function isAsExpected(results: readonly CaseResult[], failOn: CaseLevel = "must"): boolean {
  return results.every(
    ({ outcome, level }) =>
      outcome !== "unexpected-pass" && (outcome !== "failed" || (failOn === "must" && level === "should")),
  );
}

/** Formats results as text: failures by level, the cases that were not played, the totals and a verdict. */
export function formatResults(results: readonly CaseResult[], failOn: CaseLevel = "must"): string {
  const of = (wanted: Outcome, level?: CaseLevel) =>
    results.filter((result) => result.outcome === wanted && (level === undefined || result.level === level));
  const text = ({ name, level, problems, sent }: CaseResult) =>
    [`${level}: ${name}`, ...problems.map((problem) => `  ${problem}`), `  sent: ${sentText(sent)}`].join("\n");
  const unexpected = of("unexpected-pass").map(
    ({ name }) => `${name}: passes; take it off the list of expected failures`,
  );
  const unplayed = of("not-reached");
  const unplayedLines = unplayed.length > 0 ? [`not reached: ${unplayed.map(({ name }) => name).join(", ")}`] : [];
  const counts = [
    `${of("passed").length} of ${results.length} cases pass`,
    `failures: ${of("failed", "must").length} must, ${of("failed", "should").length} should`,
    ...(of("expected-failure").length > 0 ? [`${of("expected-failure").length} fail as expected`] : []),
    ...(unplayed.length > 0 ? [`${unplayed.length} not reached`] : []),
  ];
  return [
    ...of("failed", "must").map(text),
    ...of("failed", "should").map(text),
    ...unexpected,
    ...unplayedLines,
    counts.join("; "),
    verdict(results, failOn),
  ].join("\n");
}

function verdict(results: readonly CaseResult[], failOn: CaseLevel): string {
  if (results.every(({ outcome }) => outcome === "not-reached"))
    return "no case was run: no request of the client matched a fault";
  return isAsExpected(results, failOn) ? "the client passes" : "the client fails";
}

/** Lists requests, where equal neighbors are counted. */
export function sentText(sent: readonly string[]): string {
  const starts = sent.flatMap((one, index) => (one === sent[index - 1] ? [] : [index]));
  const runs = starts.map((start, index) => ({
    one: sent[start] ?? "",
    times: (starts[index + 1] ?? sent.length) - start,
  }));
  return runs.map(({ one, times }) => (times === 1 ? one : `${one} ${times} times`)).join(", ") || "nothing";
}
