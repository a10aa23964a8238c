import type { Level, Profile } from "./corpus.ts";

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
export function complaints({ outcome, problems }: CaseResult): readonly string[] {
  if (outcome === "unexpected-pass") return ["it passes, so take it off the list of expected failures"];
  return outcome === "failed" ? problems : [];
}
