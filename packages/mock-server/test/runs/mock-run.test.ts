import { describe, expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

describe("a run's life", () => {
  it("ends at the first poll by default", async () => {
    const { call, failure, create, poll } = callerOf(createMockServer());
    const { queryRun } = await call("createQueryRun", { sql: "select 1" });
    expect(queryRun).toMatchObject({ state: "QUERY_STATE_READY", startedAt: null, rowCount: null });
    const id = await create("select 1");
    expect(await failure("getQueryRunResults", { queryRunId: id })).toMatchObject({
      code: -32151,
      data: { state: "QUERY_STATE_READY" },
    });
    expect(await poll(id)).toBe("SUCCESS");
  });

  it("is current at each poll, also if only time has changed it", async () => {
    const mock = createMockServer();
    const { call, create } = callerOf(mock);
    const id = await create("select 1");
    const look = async () => (await call("getQueryRun", { queryRunId: id })).queryRun;
    const expiresAt = new Date(mock.clock.now() + 3_600_000).toISOString();
    expect([(await look()).archivedAt, (await look()).archivedAt]).toEqual([null, null]);
    mock.clock.advance("1h");
    expect([(await look()).archivedAt, (await look()).archivedAt]).toEqual([expiresAt, expiresAt]);
  });

  it("goes through its states by its own polls", async () => {
    const mock = createMockServer();
    mock.when("select slow").afterPolls(4);
    const { create, poll } = callerOf(mock);
    const [one, other] = [await create("select slow"), await create("select slow")];
    await poll(other);
    const states = [];
    for (let at = 0; at < 5; at++) states.push(await poll(one));
    expect(states).toEqual(["RUNNING", "RUNNING", "STREAMING_RESULTS", "SUCCESS", "SUCCESS"]);
    expect(await poll(other)).toBe("RUNNING");
  });

  it("reports the share of its time or polls that has passed while it executes", async () => {
    const mock = createMockServer();
    mock.when("select slow").after("100s");
    mock.when("select polled").afterPolls(4);
    const { call, create } = callerOf(mock);
    const progressOf = async (queryRunId: string) => (await call("getQueryRun", { queryRunId })).queryRun.progress;
    const slow = await create("select slow");
    const shares = [await progressOf(slow)];
    for (const by of ["45s", "36s", "9s", "10s"] as const) {
      mock.clock.advance(by);
      shares.push(await progressOf(slow));
    }
    expect(shares).toEqual([0, 0.5, 0.9, undefined, undefined]);
    const polled = await create("select polled");
    expect([await progressOf(polled), await progressOf(polled), await progressOf(polled)]).toEqual([
      0.25,
      0.5,
      undefined,
    ]);
  });

  it("reports its position among the queued runs", async () => {
    const mock = createMockServer();
    const { call, poll } = callerOf(mock);
    const create = async () => (await call("createQueryRun", { sql: "select 1" })).queryRun;
    const first = await create();
    expect([first.queuePosition, (await create()).queuePosition]).toEqual([1, 2]);
    await poll(first.id);
    expect((await create()).queuePosition).toBe(2);
    expect((await call("createQueryRun", { sql: "select 1", waitSeconds: 1 })).queryRun.queuePosition).toBeUndefined();
  });

  it("goes through its states by time, with the instants at which they were due", async () => {
    const mock = createMockServer();
    mock.when("select slow").after("100s");
    const { call, create, poll } = callerOf(mock);
    const start = mock.clock.now();
    const id = await create("select slow");
    expect(await poll(id)).toBe("RUNNING");
    mock.clock.advance("90s");
    expect(await poll(id)).toBe("STREAMING_RESULTS");
    mock.clock.advance("1h");
    const { queryRun } = await call("getQueryRun", { queryRunId: id });
    const iso = (afterMs: number) => new Date(start + afterMs).toISOString();
    expect(queryRun).toMatchObject({
      state: "QUERY_STATE_SUCCESS",
      startedAt: iso(0),
      queryRunningEndedAt: iso(90_000),
      queryStreamingEndedAt: iso(100_000),
      endedAt: iso(100_000),
      rowCount: 3,
      totalSize: expect.stringMatching(/^\d+$/),
      errorMessage: null,
    });
  });

  it("fails by the user's mistake where the stub says no more than a message", async () => {
    const mock = createMockServer();
    mock.when(/colour/).fails({ errorMessage: "no such column" });
    const { call, create } = callerOf(mock);
    const { queryRun } = await call("getQueryRun", { queryRunId: await create("select colour from cars") });
    expect(queryRun).toMatchObject({ errorName: "QueryFailed", errorData: { category: "USER" } });
  });

  it("fails as the stub says", async () => {
    const mock = createMockServer();
    const errorData = { category: "USER" as const, line: 1, column: 8 };
    mock.when(/colour/).fails({ errorName: "BinderError", errorMessage: "no such column", errorData });
    const { call, failure, create } = callerOf(mock);
    const queryRunId = await create("select colour from cars");
    const { queryRun } = await call("getQueryRun", { queryRunId });
    expect(queryRun).toMatchObject({
      state: "QUERY_STATE_FAILED",
      errorName: "BinderError",
      errorMessage: "no such column",
      errorData,
    });
    expect(await failure("getQueryRunResults", { queryRunId })).toMatchObject({
      code: -32151,
      data: { state: "QUERY_STATE_FAILED" },
    });
  });

  it("has the id of its query in the engine that the stub says, from the time at which it executes", async () => {
    const mock = createMockServer();
    mock.when("select slow").dataSourceQueryId("20261123_125424_00000_x9mcy").afterPolls(3);
    mock.when("select again").sequence([{ dataSourceQueryId: "a", fails: { errorMessage: "lost" } }, { rows: [] }]);
    const { call, create } = callerOf(mock);
    const idsOf = async (queryRun: { id: string; dataSourceQueryId: string | null }, polls: number) => {
      const ids = [queryRun.dataSourceQueryId];
      for (let at = 0; at < polls; at += 1)
        ids.push((await call("getQueryRun", { queryRunId: queryRun.id })).queryRun.dataSourceQueryId);
      return ids;
    };
    const slow = "20261123_125424_00000_x9mcy";
    const { queryRun } = await call("createQueryRun", { sql: "select slow" });
    expect(await idsOf(queryRun, 3)).toEqual([null, slow, slow, slow]);
    for (const expected of ["a", null]) {
      const queryRunId = await create("select again");
      expect((await call("getQueryRun", { queryRunId })).queryRun.dataSourceQueryId).toBe(expected);
    }
  });

  it("fails like a run whose data source cannot be reached", async () => {
    const mock = createMockServer();
    const errorName = "DataSourceUnavailable";
    const errorData = { category: "DATA_SOURCE", retryable: true } as const;
    const down = { errorName, errorMessage: "The data source lake cannot be reached; retry later.", errorData };
    mock.when({ dataSource: "lake" }).sequence([{ fails: down }, { rows: [{ n: 1 }] }]);
    const { call } = callerOf(mock);
    const run = async (dataSource: string) =>
      (await call("createQueryRun", { sql: "select 1", dataSource, waitSeconds: 1 })).queryRun;
    expect(await run("lake")).toMatchObject({ state: "QUERY_STATE_FAILED", dataSourceQueryId: null, ...down });
    expect((await run("lake")).state).toBe("QUERY_STATE_SUCCESS");
  });

  it("is unknown under another id", async () => {
    const { failure } = callerOf(createMockServer());
    const queryRunId = "run_none";
    for (const method of ["getQueryRun", "getQueryRunResults", "cancelQueryRun"]) {
      expect(await failure(method, { queryRunId })).toMatchObject({ code: -32099, data: { queryRunId } });
    }
    expect(await failure("getSqlStatement", { sqlStatementId: "st_none" })).toMatchObject({ code: -32100 });
  });
});

describe("a held call", () => {
  it("answers at once if the run ends by polls", async () => {
    const mock = createMockServer();
    mock.when("select slow").afterPolls(5);
    const { queryRun } = await callerOf(mock).call("createQueryRun", { sql: "select slow", waitSeconds: 20 });
    expect(queryRun.state).toBe("QUERY_STATE_SUCCESS");
  });

  it("waits on the mock's clock until the run ends", async () => {
    const mock = createMockServer();
    mock.when("select slow").after("5s");
    const { call, create } = callerOf(mock);
    const held = call("getQueryRun", { queryRunId: await create("select slow"), waitSeconds: 20 });
    await flushPromises();
    mock.clock.advance("5s");
    expect((await held).queryRun.state).toBe("QUERY_STATE_SUCCESS");
  });

  it("waits no longer than `waitSeconds`", async () => {
    const mock = createMockServer();
    mock.when("select slow").after("60s");
    const { call, create } = callerOf(mock);
    const held = call("getQueryRun", { queryRunId: await create("select slow"), waitSeconds: 20 });
    await flushPromises();
    mock.clock.advance("20s");
    expect((await held).queryRun.state).toBe("QUERY_STATE_RUNNING");
  });

  it("answers when the run is canceled meanwhile", async () => {
    const mock = createMockServer();
    mock.when("select slow").after("60s");
    const { call, create } = callerOf(mock);
    const queryRunId = await create("select slow");
    const held = call("getQueryRun", { queryRunId, waitSeconds: 20 });
    await flushPromises();
    await call("cancelQueryRun", { queryRunId });
    expect((await held).queryRun.state).toBe("QUERY_STATE_CANCELED");
  });

  it("ends for a whole batch when one of its runs ends", async () => {
    const mock = createMockServer();
    mock.when("select slow").after("60s");
    mock.when("select quick").after("5s");
    const { create, sendAll } = callerOf(mock);
    const ids = [await create("select slow"), await create("select quick")];
    const held = sendAll(
      "getQueryRun",
      ids.map((queryRunId) => ({ queryRunId, waitSeconds: 20 })),
    );
    await flushPromises();
    mock.clock.advance("5s");
    const states = (await held).map(({ result }) => result.queryRun.state);
    expect(states).toEqual(["QUERY_STATE_RUNNING", "QUERY_STATE_SUCCESS"]);
  });

  it("ends when its caller disconnects", async () => {
    const mock = createMockServer();
    mock.when("select slow").after("60s");
    const { send, create } = callerOf(mock);
    const gone = new AbortController();
    const held = send(
      "getQueryRun",
      { queryRunId: await create("select slow"), waitSeconds: 20 },
      { signal: gone.signal },
    );
    gone.abort();
    await expect(held).rejects.toThrow(/abort/i);
  });
});

/** Lets pending calls run until they wait for the clock. */
async function flushPromises(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe("a statement that is executed without end", () => {
  const endless = () => createMockServer({ execute: () => new Promise<never>(() => undefined) });

  it("is awaited until `waitSeconds` are over", async () => {
    const mock = endless().namespace();
    const { call, create } = callerOf(mock);
    const held = call("getQueryRun", { queryRunId: await create("select"), waitSeconds: 5 });
    await flushPromises();
    mock.clock.advance("5s");
    expect((await held).queryRun.state).toBe("QUERY_STATE_RUNNING");
  });

  it("is not awaited after its run is canceled, or its namespace has ended", async () => {
    const mock = endless().namespace();
    const { call, create } = callerOf(mock);
    const queryRunId = await create("select");
    const polled = call("getQueryRun", { queryRunId });
    await flushPromises();
    expect(await call("listQueryRuns", {})).toMatchObject({ queryRuns: [{ state: "QUERY_STATE_RUNNING" }] });
    await call("cancelQueryRun", { queryRunId });
    const held = call("getQueryRun", { queryRunId: await create("select"), waitSeconds: 5 });
    await flushPromises();
    mock.dispose();
    for (const { queryRun } of [await polled, await held]) expect(queryRun.state).toBe("QUERY_STATE_CANCELED");
  });

  it("is not awaited after the caller of a poll has disconnected", async () => {
    const mock = endless();
    const run = mock.namespaces.find(mock.apiKey)?.runs.get(await callerOf(mock).create("select"));
    const gone = new AbortController();
    const polled = run?.poll(gone.signal).then(() => "ended");
    gone.abort();
    expect(await Promise.race([polled, flushPromises()])).toBe("ended");
  });
});

it("a call that is held while its namespace is reset returns its run", async () => {
  const mock = createMockServer();
  mock.when("select slow").after("60s");
  const held = callerOf(mock).call("createQueryRun", { sql: "select slow", waitSeconds: 20 });
  while (mock.namespaces.find(mock.apiKey)?.runs.size === 0) await flushPromises();
  await flushPromises();
  mock.reset();
  expect(await held).toMatchObject({
    queryRun: { state: "QUERY_STATE_CANCELED" },
    sqlStatement: { sql: "select slow" },
  });
});
