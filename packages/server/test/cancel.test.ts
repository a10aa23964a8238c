import { createClient, query } from "@quern/client";
import type { CancelQueryRunResult, CreateQueryRunResult, ListQueryRunsResult } from "@quern/protocol/types";
import { expect, it } from "vitest";
import { oneProcessOfFile } from "../../duckdb/test/executor/one-process.ts";
import {
  apiKey,
  createGate,
  eventually,
  gatedKind,
  idleKind,
  startServer,
  type TestServer,
  type TestServerOptions,
} from "./fixture.ts";

const engine = oneProcessOfFile();

const endless = "select count(*) from range(1000000000) a, range(1000000000) b where a.range = b.range + random()";

/** Server whose statements wait at a gate, and then fail unless an adapter is given. */
async function startGatedServer({ kind = idleKind, ...options }: TestServerOptions = {}) {
  const gate = createGate();
  return { server: await startServer({ kind: gatedKind(kind, { before: gate }), ...options }), gate };
}

function cancel(server: TestServer, queryRunId: string, queryRequestId?: string): Promise<CancelQueryRunResult> {
  return server.call("cancelQueryRun", queryRequestId === undefined ? { queryRunId } : { queryRunId, queryRequestId });
}

it("stops a running query in the engine and frees its place", async () => {
  await using server = await startServer({ limits: { maxRunningRuns: 1 } });
  const { queryRun } = await server.create({ sql: endless });
  await eventually(async () => (await server.get(queryRun.id)).state === "QUERY_STATE_RUNNING");
  await new Promise((resolve) => setTimeout(resolve, 500));

  const answer = await cancel(server, queryRun.id);
  expect(answer.canceledQueryRun).toMatchObject({ id: queryRun.id, state: "QUERY_STATE_CANCELED", errorMessage: null });
  expect(answer.queryRun).toEqual(answer.canceledQueryRun);
  expect(answer.queryRun?.endedAt).not.toBeNull();

  expect(await server.rows("select 42")).toEqual([[42]]);
});

it("answers a second time, and refuses a run that has ended", async () => {
  const { server, gate } = await startGatedServer({ kind: engine() });
  await using _ = server;
  const { queryRun } = await server.create({ sql: "select 1" });
  const first = await cancel(server, queryRun.id);
  expect(await cancel(server, queryRun.id)).toEqual(first);

  gate.open();
  for (const sql of ["select 1", "select nope"]) {
    const ended = await server.run(sql);
    await expect(cancel(server, ended.id)).rejects.toMatchObject({ code: -32165, data: { state: ended.state } });
  }
});

it("cancels a run that waits, which then never starts", async () => {
  const { server, gate } = await startGatedServer({ kind: engine(), limits: { maxRunningRuns: 1 } });
  await using _ = server;
  const first = await server.create({ sql: "select 1" });
  const second = await server.create({ sql: "select 2" });
  await cancel(server, second.queryRun.id);
  gate.open();
  await server.get(first.queryRun.id, 20);
  expect(await server.get(second.queryRun.id)).toMatchObject({ state: "QUERY_STATE_CANCELED", startedAt: null });
});

it("ends a shared run only with its last request", async () => {
  const { server } = await startGatedServer();
  await using _ = server;
  const first = await server.create({ sql: "select 1", maxAgeMinutes: 5 });
  const second = await server.create({ sql: "select 1", maxAgeMinutes: 5 });
  const runId = first.queryRun.id;
  expect(second.queryRun.id).toBe(runId);

  const withdrawn = await cancel(server, runId, first.queryRequest.id);
  expect(withdrawn.queryRun?.state).not.toBe("QUERY_STATE_CANCELED");
  // Withdrawing twice counts once, and a request of another run does not count.
  expect((await cancel(server, runId, first.queryRequest.id)).queryRun?.state).not.toBe("QUERY_STATE_CANCELED");
  await expect(cancel(server, runId, "req_other")).rejects.toMatchObject({ code: -32099 });
  expect((await cancel(server, runId, second.queryRequest.id)).queryRun?.state).toBe("QUERY_STATE_CANCELED");
});

it("withdraws by its idempotency key the request whose answer was lost", async () => {
  const { server } = await startGatedServer();
  await using _ = server;
  const first = await server.create({ sql: "select 1", maxAgeMinutes: 5, idempotencyKey: "first" });
  await server.create({ sql: "select 1", maxAgeMinutes: 5, idempotencyKey: "second" });
  const withdraw = (idempotencyKey: string) => server.call<CancelQueryRunResult>("cancelQueryRun", { idempotencyKey });
  const one = await withdraw("first");
  expect(one.queryRun).toMatchObject({ id: first.queryRun.id, endedAt: null });
  expect((await withdraw("second")).canceledQueryRun).toMatchObject({
    id: first.queryRun.id,
    state: "QUERY_STATE_CANCELED",
  });
});

it("runs nothing for a create that its withdrawal has overtaken", async () => {
  await using server = await startServer();
  const answer = await server.call<CancelQueryRunResult>("cancelQueryRun", { idempotencyKey: "late" });
  expect(answer).toEqual({ canceledQueryRun: null, queryRun: null });
  const late = { sql: endless, idempotencyKey: "late", waitSeconds: 20 };
  const { queryRun } = await server.create(late);
  expect(queryRun).toMatchObject({ state: "QUERY_STATE_CANCELED", startedAt: null });
  expect((await server.create(late)).queryRun.id).toBe(queryRun.id);
  expect(await server.rows("select 42")).toEqual([[42]]);
});

it.each([
  ["after the withdrawal", "late"],
  ["before the withdrawal, with an answer that is lost", "lost"],
])(
  "has no run left of a page that was left before its create was answered, where it arrives %s",
  async (_when, create) => {
    await using server = await startServer();
    const leaving = new AbortController();
    let withdrawn = () => {};
    const withdrawal = new Promise<void>((resolve) => {
      withdrawn = resolve;
    });
    let arrived: Promise<unknown> = withdrawal;
    const client = createClient({
      url: server.url,
      apiKey,
      async fetch(url, init) {
        if (!init.body.includes("createQueryRun")) return fetch(url, init).finally(withdrawn);
        const { signal: _, ...sent } = init;
        arrived = create === "late" ? withdrawal.then(() => fetch(url, sent)) : fetch(url, sent);
        if (create === "lost") await arrived;
        leaving.abort();
        return new Promise(() => {});
      },
    });
    await expect(query(client, { sql: endless }, { signal: leaving.signal })).rejects.toMatchObject({
      kind: "aborted",
    });
    await Promise.all([withdrawal, arrived]);
    const { queryRuns } = await server.call<ListQueryRunsResult>("listQueryRuns", {});
    expect(queryRuns.map(({ state }) => state)).toEqual(["QUERY_STATE_CANCELED"]);
  },
);

it.each([
  [{}, "/params/0/queryRunId"],
  [{ queryRequestId: "req_a" }, "/params/0/queryRunId"],
  [{ queryRunId: "run_a", idempotencyKey: "a" }, "/params/0/idempotencyKey"],
  [{ queryRequestId: "req_a", idempotencyKey: "a" }, "/params/0/queryRequestId"],
])("refuses %j, which names no one request", async (params, pointer) => {
  await using server = await startServer({ kind: idleKind });
  const refused = server.call("cancelQueryRun", params);
  await expect(refused).rejects.toMatchObject({ code: -32602, data: { issues: [{ pointer }] } });
});

it("gives a new request a new run when the last one of the old run is withdrawn beside it", async () => {
  const { server } = await startGatedServer();
  await using _ = server;
  const first = await server.create({ sql: "select 1", maxAgeMinutes: 5 });
  const runId = first.queryRun.id;
  const withdrawal = { queryRunId: runId, queryRequestId: first.queryRequest.id };
  const [, created] = await server.batch<[CancelQueryRunResult, CreateQueryRunResult]>([
    { method: "cancelQueryRun", params: withdrawal },
    { method: "createQueryRun", params: { sql: "select 1", maxAgeMinutes: 5 } },
  ]);
  // Whichever came first: the new request has a run that is not canceled.
  expect((await server.get(created.queryRun.id)).state).not.toBe("QUERY_STATE_CANCELED");
});
