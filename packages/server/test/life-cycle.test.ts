import { expect, it, onTestFinished, vi } from "vitest";
import { oneProcessOfFile } from "../../duckdb/test/executor/one-process.ts";
import { createGate, eventually, gatedKind, idleKind, RpcError, startServer } from "./fixture.ts";

const engine = oneProcessOfFile();

it("shows ready, running, streaming and success, each timestamp as it comes", async () => {
  const before = createGate();
  const executed = createGate();
  const kind = gatedKind(engine(), { before, executed });
  await using server = await startServer({ kind, limits: { maxRunningRuns: 1, maxSmallResultBytes: 0 } });

  const first = await server.create({ sql: "select 1 as n" });
  const second = await server.create({ sql: "select 2 as n" });
  await eventually(() => before.waiting === 1);
  const running = await server.get(first.queryRun.id);
  expect(running).toMatchObject({ state: "QUERY_STATE_RUNNING", queryRunningEndedAt: null, endedAt: null });
  expect(running.startedAt).not.toBeNull();
  expect(await server.get(second.queryRun.id)).toMatchObject({ state: "QUERY_STATE_READY", startedAt: null });

  before.open();
  await eventually(async () => (await server.get(first.queryRun.id)).state !== "QUERY_STATE_RUNNING");
  const streaming = await server.get(first.queryRun.id);
  expect(streaming).toMatchObject({ state: "QUERY_STATE_STREAMING_RESULTS", queryStreamingEndedAt: null });
  expect(streaming.queryRunningEndedAt).not.toBeNull();
  await expect(server.results({ queryRunId: first.queryRun.id })).rejects.toMatchObject({
    code: -32151,
    data: { state: "QUERY_STATE_STREAMING_RESULTS" },
  });

  executed.open();
  const success = await server.get(first.queryRun.id, 20);
  expect(success).toMatchObject({ state: "QUERY_STATE_SUCCESS", rowCount: 1, fileCount: 1, errorMessage: null });
  expect(success.totalSize).toMatch(/^[1-9][0-9]*$/);
  for (const time of [success.startedAt, success.queryRunningEndedAt, success.queryStreamingEndedAt, success.endedAt]) {
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  expect(await server.get(second.queryRun.id, 20)).toMatchObject({ state: "QUERY_STATE_SUCCESS" });
});

it("shows failed and canceled", async () => {
  await using server = await startServer({ kind: engine() });
  expect(await server.run("select nope")).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: "BinderError" });
  const { queryRun } = await server.create({ sql: "select sum(range) from range(10000000000)" });
  await server.call("cancelQueryRun", { queryRunId: queryRun.id });
  expect(await server.get(queryRun.id)).toMatchObject({ state: "QUERY_STATE_CANCELED", errorMessage: null });
});

it("delays an answer for at most waitSeconds, and not beyond the end of the run", async () => {
  const before = createGate();
  await using server = await startServer({ kind: gatedKind(engine(), { before }) });
  const { id } = (await server.create({ sql: "select 1" })).queryRun;
  await eventually(() => before.waiting === 1);

  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const seen: string[] = [];
  const ask = async (waitSeconds: number) => seen.push(`${waitSeconds}: ${(await server.get(id, waitSeconds)).state}`);
  const held = [ask(20), ask(30)];
  await vi.waitUntil(() => vi.getTimerCount() >= 2);
  vi.advanceTimersByTime(19_000);
  await ask(0);
  vi.advanceTimersByTime(1_000);
  await held[0];
  before.open();
  await held[1];
  expect(seen).toEqual(["0: QUERY_STATE_RUNNING", "20: QUERY_STATE_RUNNING", "30: QUERY_STATE_SUCCESS"]);
});

it("returns QueryRunNotFound for an unknown run", async () => {
  await using server = await startServer({ kind: idleKind });
  await expect(server.get("run_unknown")).rejects.toMatchObject({ code: -32099, data: { queryRunId: "run_unknown" } });
  await expect(server.call("getSqlStatement", { sqlStatementId: "st_unknown" })).rejects.toMatchObject({
    code: -32100,
  });
  await expect(server.call("cancelQueryRun", { queryRunId: "run_unknown" })).rejects.toBeInstanceOf(RpcError);
});
