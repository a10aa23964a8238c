import { describe, expect, it } from "vitest";
import { createHistory, isLike } from "../../src/history/history.ts";

it.each<[unknown, unknown, boolean]>([
  ["abc", /b/, true],
  ["abc", /^b/, false],
  ["abcabc", /b/g, true],
  [5, /5/, false],
  [undefined, /undefined/, false],
  [Number.NaN, Number.NaN, true],
  [1, "1", false],
  [null, null, true],
  [{}, null, false],
  [null, {}, false],
  ["a", {}, false],
  [[], {}, false],
  [{}, [], false],
  [{ a: 1, b: 2 }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1 }, { b: undefined }, true],
  [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2 }] } }, true],
  [[1, 2], [1], false],
  [[1], [1, 2], false],
  [[2, 1], [1, 2], false],
  [{}, { toString: Object.prototype.toString }, false],
  [{ sql: "SELECT  1;" }, { sql: "select 1" }, true],
  [{ sql: "SELECT 1" }, { sql: "select 2" }, false],
  [{ sql: "select 1 from cars" }, { sql: /cars/ }, true],
  [{ text: "SELECT" }, { text: "select" }, false],
  [{ sql: 5 }, { sql: "5" }, false],
])("%j is like %s: %s", (value, wanted, result) => {
  expect(isLike(value, wanted)).toBe(result);
});

describe("expected calls", () => {
  const body = (method: string, params: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] });
  function history() {
    const recorder = createHistory();
    for (const queryRunId of ["a", "b"]) recorder.record(0, body("getQueryRun", { queryRunId }));
    return recorder;
  }

  it("are counted exactly, or at least once", () => {
    const { expectCalled } = history();
    expectCalled("getQueryRun");
    expectCalled("getQueryRun", {}, { times: 2 });
    expectCalled("getQueryRun", { queryRunId: "a" }, { times: 1 });
    expectCalled("getQueryRun", { queryRunId: "c" }, { times: 0 });
    expectCalled("listQueryRuns", undefined, { times: 0 });
  });

  it("that were not made are reported with those that were", () => {
    const made = 'the calls were\n  getQueryRun({"queryRunId":"a"})\n  getQueryRun({"queryRunId":"b"})';
    const { expectCalled } = history();
    expect(() => expectCalled("listQueryRuns")).toThrow(
      new Error(`wrong number of calls: expected at least 1 of listQueryRuns({}), got 0; ${made}`),
    );
    expect(() => expectCalled("getQueryRun", { queryRunId: "a" }, { times: 2 })).toThrow(
      new Error(`wrong number of calls: expected 2 of getQueryRun({"queryRunId":"a"}), got 1; ${made}`),
    );
    expect(() => createHistory().expectCalled("listQueryRuns")).toThrow("got 0; the calls were none");
  });

  it("have a known method, known params and known options", () => {
    const { expectCalled } = history();
    expect(() => expectCalled("getQueryRuns" as "getQueryRun")).toThrow(
      'history: unknown method "getQueryRuns"; did you mean getQueryRun?',
    );
    expect(() => expectCalled("toString" as "getQueryRun")).toThrow(TypeError);
    expect(() => expectCalled("getQueryRun", { id: "a" } as object)).toThrow("getQueryRun: unknown param id");
    expect(() => expectCalled("createQueryRun", { tags: { more: "x" }, sql: /a/ })).toThrow("wrong number of calls");
    expect(() => expectCalled("getQueryRun", {}, { time: 1 } as object)).toThrow(TypeError);
  });

  it("are forgotten with the unexpected ones and the violations", () => {
    const recorder = history();
    recorder.recordUnexpected("a");
    recorder.recordViolation("b");
    expect([recorder.unexpected(), recorder.contractViolations()]).toEqual([["a"], ["b"]]);
    recorder.clear();
    expect([recorder.calls, recorder.unexpected(), recorder.contractViolations()]).toEqual([[], [], []]);
  });

  it("without a reply have neither result nor error, and one of a notification stays without", () => {
    const recorder = createHistory();
    const one = recorder.record(7, `[${body("getQueryRun", { queryRunId: "a" })},{"jsonrpc":"2.0","method":"m"},5]`);
    const call = { method: "getQueryRun", params: { queryRunId: "a" }, at: 7 };
    const notification = { method: "m", params: undefined, at: 7 };
    expect(recorder.calls).toStrictEqual([call, notification]);
    one({ status: 200, headers: {}, body: ['[{"jsonrpc":"2.0","id":1,"result":null}]'] });
    expect(recorder.calls).toStrictEqual([{ ...call, result: null }, notification]);
    expect(recorder.calls[0]).toBe(recorder.calls[0]);
  });
});
