import { type Cause, causesOf } from "./causes.ts";
import { type CaseResult, failuresOf, type Outcome } from "./check.ts";
import type { CoverageReport, Tally } from "./coverage.ts";

export interface Report {
  readonly url: string;
  /** Seed of the random choices: the same seed repeats them. */
  readonly seed: number;
  readonly results: readonly CaseResult[];
  readonly coverage: CoverageReport;
  /** True if no check fails unexpectedly and none passes that is expected to fail. Inconclusive checks do not count. */
  readonly isConformant: boolean;
  /** True if every check ended in time. */
  readonly isConclusive: boolean;
}

/** Formats a report as text: failures by their cause, inconclusive checks, the coverage of the contract, and a total. */
export function formatReport({ url, seed, results, coverage }: Report): string {
  const count = (wanted: Outcome): number => results.filter(({ outcome }) => outcome === wanted).length;
  const counts = (["failed", "inconclusive", "expected-failure", "unexpected-pass"] as const)
    .map((outcome) => ({ outcome, times: count(outcome) }))
    .filter(({ times }) => times > 0)
    .map(({ outcome, times }) => `, ${times} ${outcomeTexts[outcome]}`);
  const total = `${count("passed")} of ${results.length} cases pass on ${url}${counts.join("")} (seed ${seed})`;
  const failed = results.filter((result) => failuresOf(result).length > 0);
  const slow = results.filter(({ outcome }) => outcome === "inconclusive");
  const slowLines = slow.length === 0 ? [] : [`inconclusive: ${slow[0]?.problems[0]}`, `  ${idsText(slow)}`];
  return [...causesOf(failed).map(causeText), ...slowLines, ...coverageLines(coverage), total].join("\n");
}

const outcomeTexts = {
  failed: "fail",
  inconclusive: "are inconclusive",
  "expected-failure": "fail as expected",
  "unexpected-pass": "pass unexpectedly",
} as const;

/** Most kinds of problems, and most ids, that are listed of a cause. */
const problemsListed = 8;
const idsListed = 8;

/** The first check of a cause, the problems of all its checks, and the ids of the others. */
function causeText({ first, others, problems }: Cause): string {
  const { id, level, rule } = first;
  const more = problems.length > problemsListed ? [`  and ${problems.length - problemsListed} more`] : [];
  const also = others.length === 0 ? [] : [`  also: ${idsText(others)}`];
  const lines = problems.slice(0, problemsListed).map((problem) => `  ${problem}`);
  return [`${id} ${level} ${rule}`, ...lines, ...more, ...also].join("\n");
}

function idsText(results: readonly CaseResult[]): string {
  const ids = results.slice(0, idsListed).map(({ id }) => id);
  return ids.join(", ") + (results.length > idsListed ? ` and ${results.length - idsListed} more` : "");
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
