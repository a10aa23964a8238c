import { type CaseResult, failuresOf } from "./check.ts";
import type { Report } from "./report.ts";

/** Formats a report as JUnit XML, which build servers read. */
export function junitReport({ url, results }: Report): string {
  const failures = results.filter((result) => failuresOf(result).length > 0).length;
  const seconds = results.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  const counts = `tests="${results.length}" failures="${failures}" time="${seconds.toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `<testsuite name="${escaped(url)}" ${counts}>`,
    ...results.map(testCase),
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testCase(result: CaseResult): string {
  const { id, profile, rule, outcome, durationMs, problems } = result;
  const open = `<testcase classname="${profile}" name="${escaped(`${id} ${rule}`)}" time="${(durationMs / 1000).toFixed(3)}"`;
  const failures = failuresOf(result);
  if (failures.length > 0)
    return `${open}><failure message="${escaped(failures[0] ?? "")}">${escaped(failures.join("\n"))}</failure></testcase>`;
  if (outcome === "expected-failure" || outcome === "inconclusive")
    return `${open}><skipped message="${escaped(problems[0] ?? "")}"/></testcase>`;
  return `${open}/>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** Escapes text for XML, and replaces characters that XML does not allow: control characters and lone surrogates. */
function escaped(text: string): string {
  return text
    .replace(/[^\P{Cc}\t\n\r]|\p{Cs}|[\uFFFE\uFFFF]/gu, "\uFFFD")
    .replace(/[&<>"\n]/g, (character) => entities[character] ?? character);
}
