import type { Case, Level, Profile } from "./corpus.ts";

/** One rule that a server is held to: a case of the corpus, or a property that holds for whatever is sent. */
export interface Check extends Pick<Case, "id" | "level" | "rule" | "source"> {
  readonly profile: Profile;
  /** Tries some of many values: that the rule holds for them does not prove it. */
  readonly isProperty?: true;
  /** Judges the server. @throws StepFailure where the rule does not hold, SlowAnswer where the server is too slow to be judged */
  run(): Promise<void>;
}

/** A step that did not go as it must, with everything that is wrong. */
export class StepFailure extends Error {
  override readonly name = "StepFailure";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** An answer, or the end of a run, that did not come in time. It says nothing about conformance. */
export class SlowAnswer extends StepFailure {}

/** Returns the same failure with each of its problems changed. */
export function relabel(error: unknown, label: (problem: string) => string): StepFailure {
  const problems = problemsIn(error).map(label);
  return error instanceof SlowAnswer ? new SlowAnswer(problems) : new StepFailure(problems);
}

/** Problems that an error names. */
export function problemsIn(error: unknown): readonly string[] {
  return error instanceof StepFailure ? error.problems : [error instanceof Error ? error.message : String(error)];
}

/**
 * `expected-failure`: failed, as the list of expected failures says. `unexpected-pass`: passed, against that list.
 * `inconclusive`: an answer did not come in time, which is no failure.
 */
export type Outcome = "passed" | "failed" | "inconclusive" | "expected-failure" | "unexpected-pass";

export interface CaseResult {
  readonly id: string;
  readonly profile: Profile;
  readonly level: Level;
  readonly rule: string;
  readonly source: string;
  readonly outcome: Outcome;
  /** Problems of the case; empty if it passed. */
  readonly problems: readonly string[];
  readonly durationMs: number;
}

/** Why a case is not as it should be; nothing where it is. */
export function failuresOf({ outcome, problems }: CaseResult): readonly string[] {
  if (outcome === "unexpected-pass") return ["it passes, so take it off the list of expected failures"];
  return outcome === "failed" ? problems : [];
}
