import { type Cause, causesOf } from "./causes.ts";
import { type CaseResult, failuresOf, type Outcome } from "./check.ts";
import type { CoverageReport, Tally } from "./coverage.ts";

export interface Report {
  readonly url: string;
  /** Seed of the random values. The same seed repeats them. */
  readonly seed: number;
  readonly results: readonly CaseResult[];
  readonly coverage: CoverageReport;
  /** True if no check fails unexpectedly and no case passes that is expected to fail. Ignores inconclusive checks. */
  readonly isConformant: boolean;
  /** True if every check ended in time. */
  readonly isConclusive: boolean;
}

/** Formats a report as text: failures by cause, inconclusive checks, the coverage of the contract and a total. */
export function formatReport({ url, seed, results, coverage }: Report): string {
  const count = (wanted: Outcome): number => results.filter(({ outcome }) => outcome === wanted).length;
  const counts = (["failed", "inconclusive", "expected-failure", "unexpected-pass"] as const)
    .map((outcome) => ({ outcome, times: count(outcome) }))
    .filter(({ times }) => times > 0)
    .map(({ outcome, times }) => `, ${times} ${outcomeTexts[outcome]}`);
  const total = `${count("passed")} of ${results.length} checks pass on ${url}${counts.join("")} (seed ${seed})`;
  const failed = results.filter((result) => failuresOf(result).length > 0);
  const slow = results.filter(({ outcome }) => outcome === "inconclusive");
  const slowLines = slow.length === 0 ? [] : [`inconclusive: ${slow[0]?.problems[0]}`, `  ${idsText(slow)}`];
  return [...causesOf(failed).map(causeText), ...slowLines, ...coverageLines(coverage), total].join("\n");
}

const outcomeTexts = {
  failed: "fail",
  inconclusive: "inconclusive",
  "expected-failure": "fail as expected",
  "unexpected-pass": "pass unexpectedly",
} as const;

/** Largest numbers of listed problems and ids of a cause. */
const maxProblems = 8;
const maxIds = 8;

/** Formats the first check of a cause, the problems of all its checks, and the ids of the others. */
function causeText({ first, others, problems }: Cause): string {
  const { id, level, rule } = first;
  const more = problems.length > maxProblems ? [`  and ${problems.length - maxProblems} more`] : [];
  const also = others.length === 0 ? [] : [`  also: ${idsText(others)}`];
  const lines = problems.slice(0, maxProblems).map((problem) => `  ${problem}`);
  return [`${id} ${level} ${rule}`, ...lines, ...more, ...also].join("\n");
}

function idsText(results: readonly CaseResult[]): string {
  const ids = results.slice(0, maxIds).map(({ id }) => id);
  return ids.join(", ") + (results.length > maxIds ? ` and ${results.length - maxIds} more` : "");
}

function coverageLines({ methods, codes, states, members }: CoverageReport): readonly string[] {
  return [
    tallyLine("methods", methods),
    tallyLine("declared codes", codes),
    tallyLine("states", states),
    tallyLine("members of results", members),
  ];
}

/** Largest number of listed names; further ones are counted. */
const maxNames = 8;

function tallyLine(title: string, { seen, missing }: Tally): string {
  const more = missing.length > maxNames ? ` and ${missing.length - maxNames} more` : "";
  const unseen = missing.length === 0 ? "" : `; not seen: ${missing.slice(0, maxNames).join(", ")}${more}`;
  return `${seen.length} of ${seen.length + missing.length} ${title}${unseen}`;
}
