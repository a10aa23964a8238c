import { expect, test } from "vitest";
import { differences } from "../../src/ledger/answer-differences.ts";
import { sessionsOf } from "../../src/ledger/ledger.ts";
import { formatVerification, type VerifiedCall } from "../../src/ledger/verify.ts";
import { createContract } from "../../src/server/document.ts";

const run = {
  type: "object",
  properties: Object.fromEntries(
    ["state", "columnNames", "columnTypes", "format", "queuePosition", "progress", "size"].map((name) => [name, {}]),
  ),
};
const contract = createContract({
  methods: [
    { name: "poll", "x-poll": { request: { id: "/id" }, result: { state: "/run/state" }, final: ["DONE", "LOST"] } },
  ],
});
const compared = (recorded: unknown, actual: unknown, schema: unknown = run) =>
  differences(contract, { schema, recorded, actual, pointer: "/result" });

test.each<[string, unknown, unknown, readonly string[]]>([
  ["another number", { size: 1 }, { size: 2 }, []],
  ["another type", { size: 1 }, { size: "a" }, ['/result/size: expected the number 1, got the string "a"']],
  ["null for a number", { size: 1 }, { size: null }, ["/result/size: expected the number 1, got null"]],
  ["no member", { size: 1 }, {}, ["/result/size: expected the number 1, got no member"]],
  ["a member for null", { size: null }, { size: 1 }, []],
  ["an object for a list", { size: [1] }, { size: {} }, ["/result/size: expected the array [1], got the object {}"]],
  ["a list for an object", { size: {} }, { size: [1] }, ["/result/size: expected the object {}, got the array [1]"]],
  ["a shorter list", { size: [1, 2] }, { size: [1] }, []],
  ["a longer list", { size: [1] }, { size: [1, "b"] }, []],
  [
    "another type in a list",
    { size: [1, 2] },
    { size: [1, "b"] },
    ['/result/size/1: expected the number 2, got the string "b"'],
  ],
  ["another last state", { state: "DONE" }, { state: "LOST" }, ['/result/state: expected "DONE", got "LOST"']],
  ["the second last state", { state: "LOST" }, { state: "DONE" }, ['/result/state: expected "LOST", got "DONE"']],
  ["another state of an unfinished run", { state: "WAITING" }, { state: "DONE" }, []],
  [
    "other names",
    { columnNames: ["a"] },
    { columnNames: ["a", "b"] },
    ['/result/columnNames: expected ["a"], got ["a","b"]'],
  ],
  ["other types", { columnTypes: ["a"] }, { columnTypes: ["b"] }, ['/result/columnTypes: expected ["a"], got ["b"]']],
  ["another format", { format: "a" }, { format: "b" }, ['/result/format: expected "a", got "b"']],
  ["no format", { format: "a" }, {}, ['/result/format: expected "a", got nothing']],
  ["a format for null", { format: null }, { format: "b" }, []],
  ["no position in the queue", { queuePosition: 1 }, {}, []],
  ["no progress", { progress: {} }, { progress: null }, []],
  [
    "other columns that are named like members",
    { row: { state: "DONE", progress: 1 } },
    { row: { state: "LOST" } },
    ["/result/row/progress: expected the number 1, got no member"],
  ],
  [
    "a name with a slash and a tilde",
    { "a/b~c": 1 },
    { "a/b~c": "x" },
    ['/result/a~1b~0c: expected the number 1, got the string "x"'],
  ],
])("an answer with %s is compared", (_, recorded, actual, problems) => {
  expect(compared(recorded, actual)).toEqual(problems);
});

test("the items of a list are compared by their schema", () => {
  expect(compared([{ format: "a" }], [{ format: "b" }], { items: run })).toEqual([
    '/result/0/format: expected "a", got "b"',
  ]);
});

const call = { method: "getQueryRun", params: {} };
test.each<[unknown, string]>([
  [{}, 'not a ledger: expected an object with the array "sessions"'],
  [[], 'not a ledger: expected an object with the array "sessions"'],
  [{ sessions: [[call], 1] }, '/sessions/1 must be an array of calls, or an object with the array "calls"'],
  [{ sessions: [{ calls: {} }] }, '/sessions/0 must be an array of calls, or an object with the array "calls"'],
  [{ sessions: [[call, 1]] }, '/sessions/0/1 must be an object with the string "method"'],
  [{ sessions: [{ calls: [{ method: 1 }] }] }, '/sessions/0/calls/0 must be an object with the string "method"'],
  [{ sessions: [{ calls: [], consumer: 1 }] }, "/sessions/0/consumer must be a string"],
  [{ sessions: [{ calls: [], test: 1 }] }, "/sessions/0/test must be a string"],
  [{ sessions: [{ calls: [], providerStates: {} }] }, "/sessions/0/providerStates must be an array of objects"],
  [{ sessions: [{ calls: [], providerStates: [{ name: "a" }, {}] }] }, "/sessions/0/providerStates must be an array"],
  [
    { sessions: [{ calls: [], providerStates: [{ name: "a", params: 1 }] }] },
    "/sessions/0/providerStates must be an array",
  ],
  [{ sessions: [{ calls: [], providerStates: [1] }] }, "/sessions/0/providerStates must be an array"],
])("the ledger %j is refused", (ledger, message) => {
  expect(() => sessionsOf(ledger)).toThrow(expect.objectContaining({ name: "LedgerError" }));
  expect(() => sessionsOf(ledger)).toThrow(message);
});

test("a session has its calls, and the names that are given", () => {
  const providerStates = [{ name: "a", params: { b: 1 } }];
  expect(sessionsOf({ sessions: [[call], { calls: [], consumer: "c", test: "t", providerStates }] })).toEqual([
    { calls: [call], providerStates: [] },
    { calls: [], consumer: "c", test: "t", providerStates },
  ]);
});

test("a verification lists what did not pass, with the statement that the params do not show", () => {
  const made = (outcome: VerifiedCall["outcome"], more: Partial<VerifiedCall> = {}): VerifiedCall => ({
    method: "m",
    params: { sql: "a" },
    problems: outcome === "passed" ? [] : ["one", "two"],
    outcome,
    ...more,
  });
  const text = formatVerification({
    url: "http://a",
    isVerified: false,
    isConclusive: false,
    sessions: [
      {
        consumer: "c",
        test: "t",
        calls: [made("passed"), made("failed", { statement: "a" })],
        notSent: 0,
        stateProblems: [],
      },
      { calls: [made("inconclusive", { statement: "b", params: undefined })], notSent: 2, stateProblems: ["no state"] },
      { calls: [made("failed")], notSent: 0, stateProblems: [] },
      { calls: [made("passed")], notSent: 0, stateProblems: [] },
    ],
  });
  expect(text.split("\n")).toEqual([
    "consumer c, test t",
    '  call 2 of 2: m {"sql":"a"}',
    "    one",
    "    two",
    "consumer unnamed, test unnamed",
    "  no state",
    "  call 1 of 1: m undefined",
    "    statement: b",
    "    inconclusive: one",
    "    inconclusive: two",
    "consumer unnamed, test unnamed",
    '  call 1 of 1: m {"sql":"a"}',
    "    one",
    "    two",
    "2 of 7 calls in 4 sessions pass on http://a, 1 inconclusive, 2 not sent because a provider state could not be set",
  ]);
  const passing = [{ calls: [made("passed")], notSent: 0, stateProblems: [] }];
  expect(formatVerification({ url: "http://a", isVerified: true, isConclusive: true, sessions: passing })).toBe(
    "1 of 1 calls in 1 sessions pass on http://a",
  );
});
