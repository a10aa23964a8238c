import { describe, expect, it, test } from "vitest";
import { causesOf } from "../../src/server/causes.ts";
import type { CaseResult } from "../../src/server/check.ts";

const failed = (id: string, ...problems: readonly string[]): CaseResult => ({
  id,
  profile: "http",
  level: "MUST",
  rule: "",
  source: "",
  outcome: "failed",
  problems,
  durationMs: 1,
});
const idsOf = (results: readonly CaseResult[]) =>
  causesOf(results).map(({ first, others }) => [first, ...others].map(({ id }) => id).join(""));

describe("causes", () => {
  it("have the problems of the first check, then the most frequent ones of the others", () => {
    const [cause] = causesOf([
      failed("A", "delta"),
      failed("B", "delta", "alpha"),
      failed("C", "delta", "beta", "gamma"),
      failed("D", "delta", "beta", "gamma"),
      failed("E", "delta", "beta"),
    ]);
    expect(cause?.problems).toEqual(["delta", "C: beta", "C: gamma", "B: alpha"]);
  });

  it("are ordered by their number of checks", () => {
    const results = ["alpha", "beta", "beta", "beta", "gamma", "gamma"].map((text, at) => failed(String(at), text));
    expect(idsOf(results)).toEqual(["123", "45", "0"]);
  });

  it("get a check with several problems by the most frequent one", () => {
    const results = [
      failed("A", "alpha", "beta", "gamma"),
      ...["B", "C", "D"].map((id) => failed(id, "beta")),
      ...["E", "F"].map((id) => failed(id, "gamma")),
    ];
    expect(idsOf(results)).toEqual(["ABCD", "EF"]);
  });

  it("count a problem that a check has several times once", () => {
    const results = [
      failed("A", "alpha 1", "alpha 2", "alpha 3", "beta"),
      failed("B", "beta", "alpha"),
      failed("C", "beta"),
    ];
    expect(idsOf(results)).toEqual(["ABC"]);
  });

  it("are none for a counterexample or a number of further problems", () => {
    const results = [
      failed("A", "counterexample: x", "alpha"),
      failed("B", "counterexample: x", "and 3 more", "beta"),
      failed("C", "HTTP 200: and 3 more", "gamma"),
      failed("D", "delta", "and 3 more", "HTTP 200: and 12 more"),
      failed("E", "delta: and 3 more of them"),
      failed("F", "no counterexample: x"),
    ];
    expect(idsOf(results)).toEqual(["A", "B", "C", "D", "E", "F"]);
    expect(causesOf([failed("A", "alpha"), failed("B", "alpha", "and 3 more")])[0]?.problems).toEqual(["alpha"]);
  });

  it("are one for all failures without a problem", () => {
    expect(idsOf([failed("A"), failed("B", "alpha"), failed("C")])).toEqual(["AC", "B"]);
    expect(causesOf([])).toEqual([]);
  });
});

const got = (text: string) => `expected a result, got ${text}`;
test.each([
  ["step 1: no response", "step 12: no response"],
  ["step 1 (getQueryRun): no response", "no response"],
  ["HTTP 200: no response", "HTTP 404: no response"],
  ["getQueryRun: step 1: HTTP 200: no response", "getQueryRun, a run: no response"],
  ["the id -12.5 is wrong", "the id 7 is wrong"],
  ['the id "a\\"b" of 1 is wrong', 'the id "c" of 2 is wrong'],
  ["/sql: expected 1, got 2\nand 3", '/sql: expected "a", got "b"'],
  ["not equal: {1\n2}", "not equal: [3]"],
  ["it got {1\n2}", 'it got "3"'],
  ["state was 1\n2 and is 3\n4", "state was 5 and is 6"],
  [got("-32601"), got('{"code":-32601,"message":""}')],
  ["not allowed: -32601", "got the error -32601"],
])("the problems %j and %j are one cause", (left, right) => {
  expect(idsOf([failed("A", left), failed("B", right)])).toEqual(["AB"]);
});

test.each([
  ["no response", "another response"],
  ["/sql: expected 1, got 2", "/tag: expected 1, got 2"],
  ["a: was 1 and is 2", "b: was 1 and was 2"],
  [got("-32601"), got("-326012")],
  ["expected the error -32601", "got the error -32601"],
])("the problems %j and %j are two causes", (left, right) => {
  expect(idsOf([failed("A", left), failed("B", right)])).toEqual(["A", "B"]);
});
