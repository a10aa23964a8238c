import { describe, expect, it, vi } from "vitest";
import type { LedgerCall } from "../../src/ledger/ledger.ts";
import { createReplay } from "../../src/ledger/replay.ts";
import { SlowAnswer } from "../../src/server/check.ts";
import type { CallOutcome } from "../../src/server/connection.ts";
import { createContract } from "../../src/server/document.ts";
import { readDocumentSync } from "../../src/server/spec.ts";

const contract = createContract(readDocumentSync());
const run = (id: string, state: string, members: object = {}) => ({ id, state: `QUERY_STATE_${state}`, ...members });

/** Replays calls on a server with these answers. Returns the calls that the server gets, and the replay. */
function replaying(answers: readonly CallOutcome[], timeoutMs = 0) {
  const left = [...answers];
  const sent: [string, unknown][] = [];
  const call = async (method: string, params: unknown) => {
    sent.push([method, params]);
    return left.shift() ?? {};
  };
  const connection = { call, send: async () => undefined, status: () => 200, [Symbol.asyncDispose]: async () => {} };
  return { sent, replay: createReplay({ connection, contract, unique: "u", timeoutMs }) };
}

const create = (params: object, result: object): LedgerCall => ({ method: "createQueryRun", params, result });

describe("a replay", () => {
  it("makes idempotency keys unique, of 128 characters at most", async () => {
    const { sent, replay } = replaying([{ result: {} }, { result: {} }]);
    await replay.problemsOf(create({ sql: "a", idempotencyKey: "k" }, {}));
    await replay.problemsOf(create({ sql: "a", idempotencyKey: "k".repeat(127) }, {}));
    expect(sent).toEqual([
      ["createQueryRun", { sql: "a", idempotencyKey: "u k" }],
      ["createQueryRun", { sql: "a", idempotencyKey: `u ${"k".repeat(126)}` }],
    ]);
  });

  it("sends the ids of the server, in the members of the contract alone", async () => {
    const { sent, replay } = replaying([{ result: { queryRun: run("s1", "RUNNING") } }]);
    await replay.problemsOf(create({ sql: "a" }, { queryRun: run("m1", "RUNNING") }));
    await replay.problemsOf({ method: "getQueryRun", params: { queryRunId: "m1", otherId: "m1" }, result: {} });
    await replay.problemsOf({ method: "getQueryRun", params: { queryRunId: "m2" }, result: {} });
    await replay.problemsOf({ method: "createQueryRun", params: { sql: "m1" }, result: {} });
    await replay.problemsOf({ method: "getQueryRun", params: undefined, result: {} });
    expect(sent.slice(1)).toEqual([
      ["getQueryRun", { queryRunId: "s1", otherId: "m1" }],
      ["getQueryRun", { queryRunId: "m2" }],
      ["createQueryRun", { sql: "m1" }],
      ["getQueryRun", undefined],
    ]);
  });

  it("waits for the end of a run that had ended on the mock", async () => {
    vi.useFakeTimers();
    try {
      const { sent, replay } = replaying(
        [
          { result: { queryRun: run("s1", "READY") } },
          { result: { queryRun: run("s1", "RUNNING") } },
          { result: { queryRun: run("s1", "FAILED", { errorMessage: "no table" }) } },
        ],
        60_000,
      );
      const problems = replay.problemsOf(create({ sql: "a" }, { queryRun: run("m1", "SUCCESS") }));
      await vi.runAllTimersAsync();
      expect(await problems).toEqual([
        '/result/queryRun/state: expected "QUERY_STATE_SUCCESS", got "QUERY_STATE_FAILED"',
        "the run failed: no table",
      ]);
      expect(sent.map(([method, params]) => [method, params])).toEqual([
        ["createQueryRun", { sql: "a" }],
        ["getQueryRun", { queryRunId: "s1" }],
        ["getQueryRun", { queryRunId: "s1" }],
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("fails if a poll does not return the run", async () => {
    const { replay } = replaying([{ result: { queryRun: run("s1", "READY") } }, { error: { code: -32099, data: {} } }]);
    await expect(replay.problemsOf(create({ sql: "a" }, { queryRun: run("m1", "SUCCESS") }))).rejects.toThrow(
      'getQueryRun: expected the run "s1", got the error -32099',
    );
  });

  it("waits for the end of a run before it asks for rows that the mock gave, not before a poll or a cancel", async () => {
    const { sent, replay } = replaying([
      { result: { queryRun: run("s1", "READY") } },
      { result: { queryRun: run("s1", "SUCCESS") } },
    ]);
    await replay.problemsOf(create({ sql: "a" }, { queryRun: run("m1", "READY") }));
    const ended = { originalQueryRun: run("m1", "SUCCESS") };
    await replay.problemsOf({ method: "getQueryRunResults", params: { queryRunId: "m1" }, result: ended });
    await replay.problemsOf({ method: "getQueryRunResults", params: { queryRunId: "m1" }, result: {} });
    const unknown = { originalQueryRun: run("m2", "SUCCESS") };
    await replay.problemsOf({ method: "getQueryRunResults", params: { queryRunId: "m2" }, result: unknown });
    for (const method of ["getQueryRun", "cancelQueryRun"])
      await replay.problemsOf({ method, params: { queryRunId: "m1" }, result: { queryRun: run("m1", "CANCELED") } });
    expect(sent.slice(1)).toEqual([
      ["getQueryRun", { queryRunId: "s1" }],
      ["getQueryRunResults", { queryRunId: "s1" }],
      ["getQueryRunResults", { queryRunId: "s1" }],
      ["getQueryRunResults", { queryRunId: "m2" }],
      ["getQueryRun", { queryRunId: "s1" }],
      ["cancelQueryRun", { queryRunId: "s1" }],
    ]);
  });

  it("sends the ids and cursors that the server gave in lists, and leaves ended runs in lists as they are", async () => {
    const { sent, replay } = replaying([
      { result: { queryRuns: [run("s1", "READY"), run("s2", "READY")], nextCursor: "s-next" } },
    ]);
    const queryRuns = [run("m1", "READY"), run("m2", "READY"), run("m3", "READY")];
    const list = { method: "listQueryRuns", params: {}, result: { queryRuns, nextCursor: "m-next" } };
    expect(await replay.problemsOf(list)).toEqual([]);
    for (const queryRunId of ["m1", "m2", "m3"])
      await replay.problemsOf({ method: "getQueryRun", params: { queryRunId }, result: {} });
    await replay.problemsOf({ method: "listQueryRuns", params: { cursor: "m-next" }, result: {} });
    expect(sent.slice(1).map(([, params]) => params)).toEqual([
      { queryRunId: "s1" },
      { queryRunId: "s2" },
      { queryRunId: "m3" },
      { cursor: "s-next" },
    ]);
  });

  it("gives up on a run that does not end in time", async () => {
    const { replay } = replaying(
      Array.from({ length: 3 }, () => ({ result: { queryRun: run("s1", "READY") } })),
      -1,
    );
    const slow = replay.problemsOf(create({ sql: "a" }, { queryRun: run("m1", "SUCCESS") }));
    await expect(slow).rejects.toThrow(new SlowAnswer(['the run "s1" has not ended within -1 ms']));
  });

  it("fails if a poll returns another run", async () => {
    const { replay } = replaying([
      { result: { queryRun: run("s1", "READY") } },
      { result: { queryRun: run("s2", "SUCCESS") } },
    ]);
    await expect(replay.problemsOf(create({ sql: "a" }, { queryRun: run("m1", "SUCCESS") }))).rejects.toThrow(
      'getQueryRun: expected the run "s1", got the result {"queryRun":{"id":"s2"',
    );
  });

  it("names the reason of a failed run only beside a difference", async () => {
    const failed = (id: string) => ({ queryRun: run(id, "FAILED", { errorMessage: "no table" }) });
    const { replay } = replaying([{ result: failed("s1") }]);
    expect(await replay.problemsOf(create({ sql: "a" }, failed("m1")))).toEqual([]);
  });

  it("compares the codes of errors", async () => {
    const { replay } = replaying([
      { error: { code: -1, data: {} } },
      { error: { code: -1, data: {} } },
      { error: { code: -1, data: {} } },
      { result: { a: 1 } },
    ]);
    const call = { method: "getQueryRun", params: {} };
    expect(await replay.problemsOf({ ...call, error: { code: -1 } })).toEqual([]);
    expect(await replay.problemsOf({ ...call, error: { code: -2 } })).toEqual([
      "expected the error -2, got the error -1",
    ]);
    expect(await replay.problemsOf({ ...call, result: 2 })).toEqual(["expected the result 2, got the error -1"]);
    expect(await replay.problemsOf({ ...call, error: { code: -2 } })).toEqual([
      'expected the error -2, got the result {"a":1}',
    ]);
  });

  it("accepts that a run has ended before it is canceled, by a declared error alone", async () => {
    const declared = [...(contract.methods.get("cancelQueryRun")?.errors.keys() ?? [])][0] ?? 0;
    const { replay } = replaying([declared, -5, declared].map((code) => ({ error: { code, data: {} } })));
    const cancel = { method: "cancelQueryRun", params: {} };
    expect(await replay.problemsOf({ ...cancel, result: {} })).toEqual([]);
    expect(await replay.problemsOf({ ...cancel, result: {} })).toEqual(["expected the result {}, got the error -5"]);
    expect(await replay.problemsOf({ ...cancel, error: { code: -5 } })).toEqual([
      `expected the error -5, got the error ${declared}`,
    ]);
  });

  it("knows the statement of a run by its id", () => {
    const { replay } = replaying([]);
    expect(replay.statementOf(create({ sql: "a" }, { queryRun: run("m1", "READY") }))).toBe("a");
    expect(replay.statementOf(create({ sql: "b" }, { queryRun: run("m2", "READY") }))).toBe("b");
    expect(replay.statementOf({ method: "getQueryRun", params: { queryRunId: "m1" } })).toBe("a");
    expect(replay.statementOf({ method: "getQueryRun", params: { note: "m1", queryRunId: "m2" } })).toBe("b");
    expect(replay.statementOf({ method: "getQueryRun", params: { queryRunId: "m3" } })).toBe(undefined);
    expect(replay.statementOf({ method: "getQueryRun", params: undefined })).toBe(undefined);
  });
});
