import { expect, test } from "vitest";
import { type CaseResult, formatReport, junitReport, type Report } from "../../src/index.ts";
import { causesOf } from "../../src/server/causes.ts";

const one: CaseResult = {
  id: "A",
  profile: "http",
  level: "MUST",
  rule: 'what "is" <so>',
  source: "",
  outcome: "passed",
  problems: [],
  durationMs: 1500,
};
const names = Array.from({ length: 11 }, (_, index) => `member ${index}`);
const all = { seen: ["x"], missing: [] };
const report: Report = {
  url: "http://a/json-rpc",
  seed: 7,
  coverage: {
    methods: all,
    codes: { seen: ["a"], missing: ["b -1"] },
    states: all,
    members: { seen: [], missing: names },
  },
  results: [
    one,
    { ...one, id: "B", outcome: "failed", problems: ["it is\u0000 <b>", "and\nmore"] },
    { ...one, id: "C", outcome: "expected-failure", problems: ["not yet"] },
    { ...one, id: "D", outcome: "unexpected-pass" },
    { ...one, id: "E", outcome: "inconclusive", problems: ["no complete response within 5 ms"] },
  ],
  isConformant: false,
  isConclusive: false,
};

test("a report has the failures and the missing coverage", () => {
  expect(formatReport(report).split("\n")).toEqual([
    'B MUST what "is" <so>',
    "  it is\u0000 <b>",
    "  and",
    "more",
    'D MUST what "is" <so>',
    "  passes; remove it from the expected failures",
    "inconclusive: no complete response within 5 ms",
    "  E",
    "1 of 1 methods",
    "1 of 2 declared codes; not seen: b -1",
    "1 of 1 states",
    `0 of 11 members of results; not seen: ${names.slice(0, 8).join(", ")} and 3 more`,
    "1 of 5 checks pass on http://a/json-rpc, 1 fail, 1 inconclusive, 1 fail as expected, 1 pass unexpectedly (seed 7)",
  ]);
});

test("failures are grouped by the problem that most of them share", () => {
  const failed = (id: string, ...problems: string[]): CaseResult => ({ ...one, id, outcome: "failed", problems });
  const wrongId = (id: number) => `step 2: HTTP 200: id "${id}" was not sent`;
  const results = [
    failed("A", "HTTP 200: result: expected the OpenRPC document, got another value"),
    failed("B", wrongId(1), "HTTP 200: expected 0 responses, got 1"),
    failed("C", 'getQueryRun, a run: HTTP 200: jsonrpc: expected "2.0", got 1', wrongId(27)),
    ...Array.from({ length: 9 }, (_, at) => failed(`D-${at}`, wrongId(at))),
  ];
  expect(
    formatReport({ ...report, results })
      .split("\n")
      .slice(0, 8),
  ).toEqual([
    'B MUST what "is" <so>',
    `  ${wrongId(1)}`,
    "  HTTP 200: expected 0 responses, got 1",
    '  C: getQueryRun, a run: HTTP 200: jsonrpc: expected "2.0", got 1',
    "  also: C, D-0, D-1, D-2, D-3, D-4, D-5, D-6 and 2 more",
    'A MUST what "is" <so>',
    "  HTTP 200: result: expected the OpenRPC document, got another value",
    "1 of 1 methods",
  ]);
});

test("checks with other values of a member, or without the same method, have one cause", () => {
  const failed = (id: string, ...problems: string[]): CaseResult => ({ ...one, id, outcome: "failed", problems });
  const missing = '{"code":-32601,"message":"no"}';
  const results = [
    failed("A", 'HTTP 200: /result/rows: expected [["USA",254]], got []'),
    failed("B", 'step 2 (getQueryRunResults): HTTP 200: /result/rows: expected [["Europe",73]], got [["Japan",79]]'),
    failed("C", `HTTP 200: expected a result, got ${missing}`),
    failed("D", `HTTP 200: expected the error -32099 or -32165, got ${missing}`),
    failed("E", `listQueryRuns: HTTP 200: error not allowed: ${missing}`),
    failed("F", "HTTP 200: valid params: expected a result or a declared error, got the error -32601"),
    failed(
      "G",
      "HTTP 200: invalid params (/ must be object, got null): expected the error -32602, got the error -32601",
    ),
    failed(
      "H",
      "HTTP 200: the link poll of createQueryRun to getQueryRun: expected a result, got the error -32601 nothing",
    ),
    failed("I", 'HTTP 200: expected the error -32601, got {"code":-32600,"message":"no"}'),
  ];
  const first = causesOf(results).map(({ first, others }) => [first.id, others.map(({ id }) => id).join("")]);
  expect(first).toEqual([
    ["C", "DEFGH"],
    ["A", "B"],
    ["I", ""],
  ]);
});

test("a report has a form in JUnit XML", () => {
  expect(junitReport(report)).toBe(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites tests="5" failures="2" time="7.500">',
      '<testsuite name="http://a/json-rpc" tests="5" failures="2" time="7.500">',
      '<testcase classname="http" name="A what &quot;is&quot; &lt;so&gt;" time="1.500"/>',
      '<testcase classname="http" name="B what &quot;is&quot; &lt;so&gt;" time="1.500"><failure message="it is\uFFFD &lt;b&gt;">it is\uFFFD &lt;b&gt;&#10;and&#10;more</failure></testcase>',
      '<testcase classname="http" name="C what &quot;is&quot; &lt;so&gt;" time="1.500"><skipped message="not yet"/></testcase>',
      '<testcase classname="http" name="D what &quot;is&quot; &lt;so&gt;" time="1.500"><failure message="passes; remove it from the expected failures">passes; remove it from the expected failures</failure></testcase>',
      '<testcase classname="http" name="E what &quot;is&quot; &lt;so&gt;" time="1.500"><skipped message="no complete response within 5 ms"/></testcase>',
      "</testsuite>",
      "</testsuites>",
      "",
    ].join("\n"),
  );
});

test("eight problems, ids and names are listed, and further ones counted", () => {
  const numbered = (count: number, text: string) =>
    Array.from({ length: count }, (_, at) => text + String.fromCharCode(97 + at));
  const linesOf = (count: number) => {
    const [first = "", ...others] = numbered(count + 1, "X-");
    const failed = { ...one, id: first, outcome: "failed", problems: numbered(count, "p-") } as const;
    const results = [failed, ...others.map((id) => ({ ...failed, id }))];
    const missing = numbered(count, "m-");
    const coverage = { methods: { seen: [], missing }, codes: all, states: all, members: all };
    return formatReport({ ...report, results, coverage })
      .split("\n")
      .filter((line) => !/^1 of 1|checks pass/.test(line));
  };
  const problems = numbered(8, "  p-");
  const title = 'X-a MUST what "is" <so>';
  const [ids, missing] = ["X-b, X-c, X-d, X-e, X-f, X-g, X-h, X-i", numbered(8, "m-").join(", ")];
  expect(linesOf(8)).toEqual([title, ...problems, `  also: ${ids}`, `0 of 8 methods; not seen: ${missing}`]);
  expect(linesOf(9)).toEqual([
    title,
    ...problems,
    "  and 1 more",
    `  also: ${ids} and 1 more`,
    `0 of 9 methods; not seen: ${missing} and 1 more`,
  ]);
});
