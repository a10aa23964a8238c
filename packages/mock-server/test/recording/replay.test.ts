import { describe, expect, it } from "vitest";
import { recordingOf } from "../../src/recording/recording.ts";
import { createReplay } from "../../src/recording/replay.ts";

const call = (params: object, answer: object) => ({ method: "getQueryRun", params, ...answer });

describe("a replay", () => {
  it("returns the nth answer to the nth call with the same params, and then the last", () => {
    const calls = [
      call({ queryRunId: "a" }, { result: 1 }),
      call({ queryRunId: "b" }, { result: 2 }),
      call({ queryRunId: "a" }, { result: 3 }),
    ];
    const replay = createReplay({ calls }, () => {});
    const answer = (queryRunId: string) => replay.answer("getQueryRun", { waitSeconds: 5, queryRunId });
    expect(["a", "b", "a", "a", "b"].map(answer)).toEqual([1, 2, 3, 3, 2]);
    replay.clear();
    expect(answer("a")).toBe(1);
  });

  it("compares params without the order of their members, but with that of lists", () => {
    const params = { page: { number: 1, size: 2 }, sortBy: [{ column: "a" }, { column: "b" }], queryRunId: "a" };
    const replay = createReplay({ calls: [call(params, { result: 1 })] }, () => {});
    const { queryRunId, sortBy } = params;
    expect(replay.answer("getQueryRun", { sortBy, queryRunId, page: { size: 2, number: 1 } })).toBe(1);
    expect(() => replay.answer("getQueryRun", { ...params, sortBy: sortBy.toReversed() })).toThrow("was not recorded");
  });

  it("fails as the service did", () => {
    const error = { code: -32_099, message: "no run", data: { queryRunId: "a" } };
    const replay = createReplay({ calls: [call({ queryRunId: "a" }, { error })] }, () => {});
    expect(() => replay.answer("getQueryRun", { queryRunId: "a" })).toThrow(expect.objectContaining(error));
  });

  it("reports a call that was not recorded with those of its method", () => {
    const reported: string[] = [];
    const calls = [call({ queryRunId: "a" }, { result: 1 }), call({ queryRunId: "b" }, { result: 2 })];
    const replay = createReplay({ calls }, (text) => void reported.push(text));
    expect(() => replay.answer("getQueryRun", { queryRunId: "c" })).toThrow(expect.objectContaining({ code: -32_603 }));
    expect(() => replay.answer("describeQuery", { sql: "select 'secret'" })).toThrow();
    expect(reported).toEqual([
      'getQueryRun({"queryRunId":"c"}) was not recorded; the recording has these calls of the method:\n  getQueryRun({"queryRunId":"a"})\n  getQueryRun({"queryRunId":"b"})',
      'describeQuery({"sql":"select \'redacted\'"}) was not recorded; the recording has no call of the method',
    ]);
  });

  it("repeats the idempotency key of the call in a request that had one", () => {
    const calls = ["old", null].map((idempotencyKey, at) =>
      call({ queryRunId: String(at) }, { result: { queryRequest: { id: "q", idempotencyKey }, more: 1 } }),
    );
    const replay = createReplay({ calls }, () => {});
    const answer = (params: object) => replay.answer("getQueryRun", params);
    expect(answer({ queryRunId: "0", idempotencyKey: "new" })).toEqual({
      queryRequest: { id: "q", idempotencyKey: "new" },
      more: 1,
    });
    expect(answer({ queryRunId: "0" })).toEqual({ queryRequest: { id: "q", idempotencyKey: "old" }, more: 1 });
    expect(answer({ queryRunId: "1", idempotencyKey: "new" })).toEqual({
      queryRequest: { id: "q", idempotencyKey: null },
      more: 1,
    });
  });
});

describe("a recording", () => {
  const result = { queryRuns: [], nextCursor: null };

  it.each<[unknown, string]>([
    [null, "recording: expected an object with an array `calls`"],
    [{ calls: {} }, "recording: expected an object with an array `calls`"],
    [{ calls: [null] }, 'recording: unknown method at /calls/0/method: ""; make the recording again'],
    [
      { calls: [{ method: "constructor" }] },
      'recording: unknown method at /calls/0/method: "constructor"; make the recording again',
    ],
    [
      {
        calls: [
          { method: "listQueryRuns", params: {}, result },
          { method: "listQueryRuns", params: { limit: "1" }, result },
        ],
      },
      "recording: invalid /calls/1/params/limit: expected ",
    ],
    [{ calls: [{ method: "listQueryRuns", params: {}, result: {} }] }, "recording: invalid /calls/0/result"],
  ])("%j is refused", (value, message) => {
    expect(() => recordingOf(value)).toThrow(TypeError);
    expect(() => recordingOf(value)).toThrow(message);
  });

  it("has results of the contract, or errors", () => {
    const calls = [
      { method: "listQueryRuns", params: {}, result },
      { method: "listQueryRuns", params: {}, error: { code: 5, message: "no" } },
    ];
    expect(recordingOf({ calls, more: 1 })).toEqual({ calls });
  });
});
