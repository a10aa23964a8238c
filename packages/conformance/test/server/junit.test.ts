import { expect, it } from "vitest";
import type { CaseResult } from "../../src/server/check.ts";
import { junitReport } from "../../src/server/junit.ts";
import type { Report } from "../../src/server/report.ts";

const result = (change: Partial<CaseResult>): CaseResult =>
  ({
    id: "REQ-001",
    profile: "base",
    level: "MUST",
    rule: "is answered",
    source: "",
    problems: [],
    durationMs: 250,
    outcome: "passed",
    ...change,
  }) as CaseResult;
const written = (...results: CaseResult[]) =>
  junitReport({ url: "http://a.example/?a=1&b=2", results } as unknown as Report).split("\n");

it("has each check with its duration and its problems", () => {
  expect(
    written(
      result({}),
      result({
        id: "REQ-002",
        outcome: "failed",
        problems: ["id: expected 2, got 1", "no response"],
        durationMs: 1_500,
      }),
      result({ id: "REQ-003", outcome: "expected-failure", problems: ["known"] }),
      result({ id: "REQ-004", outcome: "inconclusive", problems: ["too slow"] }),
      result({ id: "REQ-005", outcome: "unexpected-pass" }),
    ),
  ).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites tests="5" failures="2" time="2.500">',
    '<testsuite name="http://a.example/?a=1&amp;b=2" tests="5" failures="2" time="2.500">',
    '<testcase classname="base" name="REQ-001 is answered" time="0.250"/>',
    '<testcase classname="base" name="REQ-002 is answered" time="1.500"><failure message="id: expected 2, got 1">id: expected 2, got 1&#10;no response</failure></testcase>',
    '<testcase classname="base" name="REQ-003 is answered" time="0.250"><skipped message="known"/></testcase>',
    '<testcase classname="base" name="REQ-004 is answered" time="0.250"><skipped message="too slow"/></testcase>',
    expect.stringMatching(/REQ-005 .*<failure message="(pass[^"]*)">\1<\/failure><\/testcase>$/),
    "</testsuite>",
    "</testsuites>",
    "",
  ]);
});

it("escapes each character that XML does not allow", () => {
  const [, , , line] = written(result({ outcome: "failed", problems: ['<a> & <b> "c"\t\0\u0001 \ud800 \uffff 😀'] }));
  expect(line).toContain('message="&lt;a&gt; &amp; &lt;b&gt; &quot;c&quot;\t\uFFFD\uFFFD \uFFFD \uFFFD 😀"');
});
