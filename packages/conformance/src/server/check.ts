import type { Case, Profile } from "./corpus.ts";

/** One rule that a server is held to: a case of the corpus, or a property that holds for whatever is sent. */
export interface Check extends Pick<Case, "id" | "level" | "rule" | "source"> {
  readonly profile: Profile;
  /** What is wrong, none where the rule holds. */
  problems(): Promise<readonly string[]>;
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

/** What an error says is wrong. */
export function problemsIn(error: unknown): readonly string[] {
  return error instanceof StepFailure ? error.problems : [error instanceof Error ? error.message : String(error)];
}
