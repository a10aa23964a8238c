import type { Level, Profile } from "./corpus.ts";
import type { CoverageReport, Tally } from "./coverage.ts";

/** `expected-failure`: failed, as the list of expected failures says. `unexpected-pass`: passed, against that list. */
export type Outcome = "passed" | "failed" | "expected-failure" | "unexpected-pass";

export interface CaseResult {
  readonly id: string;
  readonly profile: Profile;
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
  /** What the random choices followed from: the same seed makes them again. */
  readonly seed: number;
  readonly results: readonly CaseResult[];
  readonly coverage: CoverageReport;
  /** Whether every case did what was expected of it. */
  readonly isConformant: boolean;
}

/** Why a case is not as it should be; nothing where it is. */
export function complaints({ outcome, problems }: CaseResult): readonly string[] {
  if (outcome === "unexpected-pass") return ["it passes, so take it off the list of expected failures"];
  return outcome === "failed" ? problems : [];
}

/** A report as text: what is not as it should be, what was seen of the contract, and a total. */
export function formatReport({ url, seed, results, coverage }: Report): string {
  const lines = results.flatMap((result) => {
    const why = complaints(result);
    const { id, level, rule } = result;
    return why.length === 0 ? [] : [[`${id} ${level} ${rule}`, ...why.map((problem) => `  ${problem}`)].join("\n")];
  });
  const count = (wanted: Outcome): number => results.filter(({ outcome }) => outcome === wanted).length;
  const expected = count("expected-failure");
  const total = `${count("passed")} of ${results.length} cases pass on ${url}${expected > 0 ? `, ${expected} fail as expected` : ""} (seed ${seed})`;
  return [...lines, ...coverageLines(coverage), total].join("\n");
}

function coverageLines({ methods, codes, states, members }: CoverageReport): readonly string[] {
  return [
    tallyLine("methods", methods),
    tallyLine("declared codes", codes),
    tallyLine("states", states),
    tallyLine("members of results", members),
  ];
}

/** More names than these are counted. */
const namesTold = 8;

function tallyLine(what: string, { seen, missing }: Tally): string {
  const more = missing.length > namesTold ? ` and ${missing.length - namesTold} more` : "";
  const unseen = missing.length === 0 ? "" : `; not seen: ${missing.slice(0, namesTold).join(", ")}${more}`;
  return `${seen.length} of ${seen.length + missing.length} ${what}${unseen}`;
}
