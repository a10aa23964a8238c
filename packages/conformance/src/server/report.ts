import type { Level } from "./corpus.ts";

/** `expected-failure`: failed, as the list of expected failures says. `unexpected-pass`: passed, against that list. */
export type Outcome = "passed" | "failed" | "expected-failure" | "unexpected-pass";

export interface CaseResult {
  readonly id: string;
  readonly level: Level;
  readonly rule: string;
  readonly source: string;
  readonly outcome: Outcome;
  /** What went wrong, none where the case passed. */
  readonly problems: readonly string[];
  readonly durationMs: number;
}

export interface Report {
  readonly url: string;
  readonly results: readonly CaseResult[];
  /** Whether every case did what was expected of it. */
  readonly isConformant: boolean;
}

/** A report as text: one line a case that is not as it should be, and a total. */
export function formatReport({ url, results }: Report): string {
  const lines = results
    .filter(({ outcome }) => outcome === "failed" || outcome === "unexpected-pass")
    .map(({ id, level, rule, outcome, problems }) => {
      const why = outcome === "failed" ? problems : ["it passes, so take it off the list of expected failures"];
      return [`${id} ${level} ${rule}`, ...why.map((problem) => `  ${problem}`)].join("\n");
    });
  const count = (wanted: Outcome): number => results.filter(({ outcome }) => outcome === wanted).length;
  const expected = count("expected-failure");
  const total = `${count("passed")} of ${results.length} cases pass on ${url}${expected > 0 ? `, ${expected} fail as expected` : ""}`;
  return [...lines, total].join("\n");
}
