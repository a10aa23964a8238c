import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import {
  apiKey,
  createGate,
  createTestClock,
  duckdbKind,
  eventually,
  gatedKind,
  startServer,
  type TestServer,
} from "../fixture.ts";

let server: TestServer;
beforeAll(async () => {
  const sources = [
    { name: "main", provider: "acme" },
    { name: "other", provider: "acme" },
    { name: "third", provider: "else" },
  ];
  server = await startServer({ sources, kind: await oneProcessKind() });
});
afterAll(() => server[Symbol.asyncDispose]());

describe("createQueryRun", () => {
  it("needs the SQL alone, and answers with the three records", async () => {
    const { queryRequest, queryRun, sqlStatement } = await server.create({ sql: "select 1 as N", waitSeconds: 20 });
    expect(queryRequest).toMatchObject({
      queryRunId: queryRun.id,
      sqlStatementId: sqlStatement.id,
      maxAgeMinutes: 0,
      resultTTLHours: 1,
      tags: {},
      idempotencyKey: null,
    });
    expect(queryRun).toMatchObject({ state: "QUERY_STATE_SUCCESS", dataSourceId: "main", userId: "user_first" });
    expect(sqlStatement).toMatchObject({
      sql: "select 1 as N",
      statementHash: createHash("sha256").update("select 1 as N").digest("hex"),
      columnMetadata: { columns: ["n"], types: ["number"], colTypeMap: { n: "number" } },
    });
    expect(await server.call("getSqlStatement", { sqlStatementId: sqlStatement.id })).toEqual({ sqlStatement });
  });

  it("finds the source by name, by provider and by the old names", async () => {
    const sourceOf = async (names: object) =>
      (await server.create({ sql: "select 1", ...names })).queryRun.dataSourceId;
    expect(await sourceOf({ dataSource: "other" })).toBe("other");
    expect(await sourceOf({ dataProvider: "else" })).toBe("third");
    expect(await sourceOf({ dataSource: "main", dataProvider: "acme" })).toBe("main");
    expect(await sourceOf({ dataSource: "snowflake-default", dataProvider: "flipside" })).toBe("main");
    await expect(sourceOf({ dataSource: "nope" })).rejects.toMatchObject({
      code: -32164,
      data: { dataSource: "nope" },
    });
    await expect(sourceOf({ dataSource: "third", dataProvider: "acme" })).rejects.toMatchObject({ code: -32164 });
    await expect(sourceOf({ dataProvider: "nope" })).rejects.toMatchObject({
      code: -32167,
      data: { dataProvider: "nope" },
    });
  });

  it("lower-cases the columns of the default source alone", async () => {
    const columns = async (dataSource: string) => {
      const { id } = await server.run(`select 1 as "Big"`, { dataSource });
      return (await server.results({ queryRunId: id })).columnNames;
    };
    expect(await columns("main")).toEqual(["big"]);
    expect(await columns("other")).toEqual(["Big"]);
  });

  it("returns the place and the fault of an invalid parameter", async () => {
    const issue = (pointer: string) => ({ code: -32602, data: { issues: [{ pointer: `/params/0${pointer}` }] } });
    await expect(server.create({ sql: " " })).rejects.toMatchObject(issue("/sql"));
    await expect(server.create({ sql: `select '${"é".repeat(131_072)}'` })).rejects.toMatchObject(issue("/sql"));
    await expect(server.call("createQueryRun", { sql: "select 1", colour: 1 })).rejects.toMatchObject({ code: -32602 });
    await expect(server.call("createQueryRun", {})).rejects.toMatchObject({ code: -32602 });
  });
});

describe("an idempotency key", () => {
  it("makes two calls one", async () => {
    const call = { sql: "select random()", idempotencyKey: "k1", tags: { a: "b", c: "d" } };
    const again = { ...call, tags: { c: "d", a: "b" }, waitSeconds: 1 };
    const [first, second] = await Promise.all([server.create(call), server.create(again)]);
    expect(second.queryRequest).toEqual(first.queryRequest);
    expect(first.queryRequest.idempotencyKey).toBe("k1");
    await expect(server.create({ ...call, sql: "select 2" })).rejects.toMatchObject({
      code: -32602,
      data: { reason: "IdempotencyMismatch", issues: [{ pointer: "/params/0/idempotencyKey" }] },
    });
  });

  it("is kept for a day", async () => {
    const clock = createTestClock();
    await using timed = await startServer({ clock });
    const call = { sql: "select 1", idempotencyKey: "k1" };
    const first = await timed.create(call);
    clock.advance(86_400_000);
    expect((await timed.create(call)).queryRequest.id).not.toBe(first.queryRequest.id);
  });
});

it("more unfinished runs than the cap are refused, with the numbers", async () => {
  const before = createGate();
  const kind = gatedKind(await duckdbKind(), { before });
  await using capped = await startServer({ kind, limits: { maxUnfinishedRuns: 2 } });
  const first = await capped.create({ sql: "select 1" });
  await capped.create({ sql: "select 2" });
  await expect(capped.create({ sql: "select 3" })).rejects.toMatchObject({
    code: -32171,
    data: { currentlyRunning: 2, maxConcurrentRuns: 2 },
  });
  // A request that joins an unfinished run adds none.
  expect((await capped.create({ sql: "select 1", maxAgeMinutes: 1 })).queryRun.id).toBe(first.queryRun.id);
  await capped.call("cancelQueryRun", { queryRunId: first.queryRun.id });
  await capped.create({ sql: "select 3" });
});

it("more runs in the queue than it takes are refused, and a tenant's cap lets the others wait", async () => {
  const before = createGate();
  const kind = gatedKind(await duckdbKind(), { before });
  const limits = { maxQueuedRuns: 1, maxRunningRuns: 4, maxRunningRunsOfTenant: 1 };
  await using capped = await startServer({ kind, limits });
  await capped.create({ sql: "select 1" });
  await eventually(() => before.waiting === 1);
  const { queryRun } = await capped.create({ sql: "select 2" });
  await expect(capped.create({ sql: "select 3" })).rejects.toMatchObject({
    code: -32171,
    data: { currentlyRunning: 2, maxConcurrentRuns: 2 },
  });
  expect([before.waiting, (await capped.get(queryRun.id)).state]).toEqual([1, "QUERY_STATE_READY"]);
  before.open();
  expect((await capped.get(queryRun.id, 20)).state).toBe("QUERY_STATE_SUCCESS");
});

it("keeps the trace of the call on the run, and no text that is none", async () => {
  const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  await using traced = await startServer();
  for (const traceparent of [trace, "select secret"]) {
    const headers = { "content-type": "application/json", "x-api-key": apiKey, traceparent };
    const params = [{ sql: "select 1" }];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "createQueryRun", params });
    const answer = await fetch(`${traced.url}/json-rpc`, { method: "POST", headers, body });
    expect(JSON.stringify(await answer.json())).not.toContain("traceparent");
  }
  const database = new DatabaseSync(join(traced.dataDir, "quern.db"), { readOnly: true });
  const kept = database.prepare("SELECT record ->> 'traceparent' AS trace FROM runs ").all();
  database.close();
  expect(kept.map((row) => row.trace).sort()).toEqual([trace, null].sort());
});
