import { expect, it, test } from "vitest";
import { type CaseResult, formatResults, isAsExpected, sentText } from "../../src/client/report.ts";

const result = (change: Partial<CaseResult>): CaseResult => ({
  name: "a",
  level: "must",
  outcome: "passed",
  problems: [],
  sent: ["getQueryRun"],
  ...change,
});

it.each<[Partial<CaseResult>, boolean, boolean]>([
  [{ outcome: "passed" }, true, true],
  [{ outcome: "failed", level: "must" }, false, false],
  [{ outcome: "failed", level: "should" }, true, false],
  [{ outcome: "not-reached" }, true, true],
  [{ outcome: "expected-failure" }, true, true],
  [{ outcome: "unexpected-pass", level: "should" }, false, false],
])("a client with the result %j is as expected: %s, and %s if failures of should count", (change, must, should) => {
  const results = [result({}), result(change)];
  expect([isAsExpected(results), isAsExpected(results, "should")]).toEqual([must, should]);
});

it("lists failures by level, then unexpected passes and unreached cases, and counts each outcome", () => {
  const results = [
    result({ name: "a", outcome: "failed", level: "should", problems: ["late", "twice"], sent: ["x", "x", "y"] }),
    result({ name: "b", outcome: "failed", problems: ["wrong"], sent: [] }),
    result({ name: "c", outcome: "unexpected-pass" }),
    result({ name: "d", outcome: "not-reached" }),
    result({ name: "e", outcome: "expected-failure" }),
    result({ name: "f", outcome: "not-reached" }),
    result({ name: "g" }),
  ];
  expect(formatResults(results).split("\n")).toEqual([
    "must: b",
    "  wrong",
    "  sent: nothing",
    "should: a",
    "  late",
    "  twice",
    "  sent: x 2 times, y",
    "c: passes; remove it from the expected failures",
    "not reached: d, f",
    "1 of 7 cases pass; failures: 1 must, 1 should; 1 fail as expected; 2 not reached",
    "the client fails",
  ]);
});

test.each<[readonly Partial<CaseResult>[], "must" | "should", string]>([
  [[{}], "must", "1 of 1 cases pass; failures: 0 must, 0 should\nthe client passes"],
  [[{ outcome: "failed", level: "should" }], "must", "the client passes"],
  [[{ outcome: "failed", level: "should" }], "should", "the client fails"],
  [[{ outcome: "not-reached" }], "must", "no verdict: the client sent no request that a fault matches"],
  [[{ outcome: "not-reached" }, {}], "must", "the client passes"],
])("the results %j with failures of level %s end with the verdict: %s", (changes, failOn, verdict) => {
  expect(formatResults(changes.map(result), failOn).endsWith(verdict)).toBe(true);
});

test("requests are counted with their equal neighbors only", () => {
  expect(sentText(["a", "b", "b", "b", "a", "a"])).toBe("a, b 3 times, a 2 times");
});
