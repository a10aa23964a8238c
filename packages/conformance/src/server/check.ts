import type { Case, Level, Profile } from "./corpus.ts";

/** One rule to test a server by: a case of the corpus, or a property of random requests. */
export interface Check extends Pick<Case, "id" | "level" | "rule" | "source"> {
  readonly profile: Profile;
  /** True for a property: it tries random values, so a pass does not prove the rule. */
  readonly isProperty?: true;
  /** Tests the server. @throws SlowAnswer if the server is too slow for a verdict, another error if the rule is broken */
  run(): Promise<void>;
}

/** A failed step with all its problems. */
export class StepFailure extends Error {
  override readonly name = "StepFailure";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** An answer, the end of a run, or the end of a property did not come in time. It proves nothing about conformance. */
export class SlowAnswer extends StepFailure {}

/** Returns a failure with each problem changed: a SlowAnswer for a SlowAnswer, otherwise a StepFailure. */
export function relabel(error: unknown, label: (problem: string) => string): StepFailure {
  const problems = problemsIn(error).map(label);
  return error instanceof SlowAnswer ? new SlowAnswer(problems) : new StepFailure(problems);
}

/** Returns the problems of an error. */
export function problemsIn(error: unknown): readonly string[] {
  return error instanceof StepFailure ? error.problems : [error instanceof Error ? error.message : String(error)];
}

/**
 * `inconclusive`: an answer, the end of a run, or the end of a property did not come in time, which is not a failure.
 * `expected-failure`: failed, and the list of expected failures has it. `unexpected-pass`: a case passed, although that list has it.
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

/** Returns the reasons that a case fails the run; none if it does not. */
export function failuresOf({ outcome, problems }: CaseResult): readonly string[] {
  if (outcome === "unexpected-pass") return ["passes; remove it from the expected failures"];
  return outcome === "failed" ? problems : [];
}
