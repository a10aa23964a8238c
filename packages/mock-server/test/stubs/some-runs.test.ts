import { describe, expect, it } from "vitest";
import { createMockServer, type MockServer } from "../../src/index.ts";
import { createStubList } from "../../src/stubs/stub-list.ts";
import { callerOf } from "../caller.ts";

describe("a stub for some runs", () => {
  const rows = (n: number) => [{ n }];
  const failure = { errorMessage: "no" };

  /** Returns the answers to runs of one statement: a value, or the state of a run without one. */
  async function answers(mock: MockServer, count: number, sql = "select 1") {
    const { create, poll, call } = callerOf(mock);
    const seen: unknown[] = [];
    for (let run = 0; run < count; run++) {
      const queryRunId = await create(sql);
      const state = await poll(queryRunId);
      seen.push(state === "SUCCESS" ? (await call("getQueryRunResults", { queryRunId })).rows[0][0] : state);
    }
    return seen;
  }

  it("answers once or n times, and leaves later runs to older stubs", async () => {
    const mock = createMockServer({ strict: true });
    mock.when("select 1").rows(rows(1));
    mock.when("select 1").fails(failure).times(2);
    mock.when("select 1").rows(rows(2)).once();
    expect(await answers(mock, 5)).toEqual([2, "FAILED", "FAILED", 1, 1]);
    expect(mock.history.unexpected()).toEqual([]);
  });

  it("answers one of many concurrent runs", async () => {
    const mock = createMockServer({ strict: true });
    mock.when("select 1").rows(rows(1)).once();
    const { create, poll } = callerOf(mock);
    const ids = await Promise.all(Array.from({ length: 16 }, () => create("select 1")));
    const states = await Promise.all(ids.map(poll));
    expect(states.filter((state) => state === "SUCCESS")).toHaveLength(1);
  });

  it("is reported with its limit if it is the nearest", async () => {
    const mock = createMockServer({ strict: true });
    mock.when("select 1").rows(rows(1)).once();
    await answers(mock, 2);
    expect(mock.history.unexpected()).toEqual([
      'no stub matches "select 1"; the nearest is when("select 1"), which differs in its limit of 1 run, which is reached',
    ]);
  });

  it("answers in a sequence, whose last answer repeats", async () => {
    const mock = createMockServer({ strict: true });
    mock.when("select 1").sequence([{ fails: failure, times: 2 }, { rows: rows(1) }, { rows: rows(2), afterPolls: 2 }]);
    expect(await answers(mock, 5)).toEqual(["FAILED", "FAILED", 1, "RUNNING", "RUNNING"]);
    mock.when("select 2").sequence([{ rows: rows(1) }, { rows: rows(2), times: 1 }]);
    expect(await answers(mock, 3, "select 2")).toEqual([1, 2, "FAILED"]);
    mock.when("select 3").sequence([
      { rows: rows(1), after: 0 },
      { rows: rows(2), after: "1s" },
    ]);
    expect(await answers(mock, 2, "select 3")).toEqual([1, "RUNNING"]);
  });

  it("is not used up by a description, a reused run or a repeated call", async () => {
    const mock = createMockServer({ strict: true });
    mock.when("select 1").sequence([{ rows: rows(1) }, { rows: [{ text: "a" }] }]);
    const { call, create } = callerOf(mock);
    for (let times = 0; times < 2; times++)
      expect((await call("describeQuery", { sql: "select 1" })).columns).toMatchObject([{ name: "n" }]);
    const first = await create("select 1", { idempotencyKey: "k" });
    expect(await create("select 1", { idempotencyKey: "k" })).toBe(first);
    expect(await create("select 1", { maxAgeMinutes: 5 })).toBe(first);
    expect(await answers(mock, 1)).toEqual(["a"]);
  });

  it("belongs to a scenario, whose state decides", async () => {
    const mock = createMockServer({ strict: true });
    mock.when("read").rows(rows(0)).scenario("cars", { requiredState: "Started" });
    mock.when("read").rows(rows(1)).scenario("cars", { requiredState: "loaded" });
    mock.when("load").rows(rows(2)).scenario("cars", { newState: "loaded" });
    mock.when("drop").rows(rows(3)).scenario("cars", { requiredState: "loaded", newState: "Started" });
    const seen = [];
    for (const sql of ["drop", "read", "load", "read", "drop", "read"]) seen.push(...(await answers(mock, 1, sql)));
    expect(seen).toEqual(["FAILED", 0, 2, 1, 3, 0]);
    expect(mock.history.unexpected()).toEqual([
      expect.stringMatching(
        /when\("drop"\), which differs in the state of the scenario "cars" \(expected "\w+", got "Started"\)$/,
      ),
    ]);
  });

  it.each([0, -1, 1.5])("refuses %j runs", (times) => {
    expect(() => createStubList().when("select").times(times)).toThrow(RangeError);
    expect(() => createStubList().when("select").sequence([{ times }])).toThrow(RangeError);
  });
});
