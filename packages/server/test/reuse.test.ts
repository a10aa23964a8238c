import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { oneProcessOfFile } from "../../duckdb/test/executor/one-process.ts";
import { createGate, createTestClock, eventually, gatedKind, startServer, temporaryDirectory } from "./fixture.ts";
import { caller } from "./identity/callers.ts";

const engine = oneProcessOfFile();

const minute = 60_000;

it("returns a result that is young enough, with its own run id", async () => {
  const clock = createTestClock();
  await using server = await startServer({ clock, kind: engine() });
  const first = await server.create({ sql: "select random() as r", resultTTLHours: 24, waitSeconds: 20 });
  expect(first.queryRequest).toMatchObject({ triggeredQueryRun: true, userSkipCache: true });

  clock.advance(5 * minute);
  const second = await server.create({ sql: "select random() as r;\n", maxAgeMinutes: 5 });
  expect(second.queryRequest).toMatchObject({
    triggeredQueryRun: false,
    userSkipCache: false,
    queryRunId: first.queryRun.id,
  });
  expect(second.queryRun).toMatchObject({ id: first.queryRun.id, state: "QUERY_STATE_SUCCESS" });
  expect(second.queryRequest.id).not.toBe(first.queryRequest.id);

  // Both have the statement that ran, so that its columns are known.
  expect(second.sqlStatement).toMatchObject({ sql: "select random() as r", columnMetadata: { columns: ["r"] } });
  expect(second.queryRequest.sqlStatementId).toBe(second.queryRun.sqlStatementId);
  expect(second.sqlStatement.id).toBe(second.queryRun.sqlStatementId);

  clock.advance(1);
  const third = await server.create({ sql: "select random() as r", maxAgeMinutes: 5, waitSeconds: 20 });
  expect(third.queryRequest.triggeredQueryRun).toBe(true);
  expect(third.queryRun.id).not.toBe(first.queryRun.id);
  expect(third.sqlStatement.id).toBe(first.sqlStatement.id);
});

it("always runs with an age of 0, and never returns a failure", async () => {
  await using server = await startServer({ kind: engine() });
  const success = await server.run("select 1");
  expect((await server.run("select 1")).id).not.toBe(success.id);
  const failure = await server.run("select nope", { maxAgeMinutes: 60 });
  expect((await server.run("select nope", { maxAgeMinutes: 60 })).id).not.toBe(failure.id);
});

it("distinguishes parameters", async () => {
  await using server = await startServer({ kind: engine() });
  const sql = "select $1 as a";
  const one = await server.run(sql, { parameters: [1], maxAgeMinutes: 60 });
  expect((await server.run(sql, { parameters: [2], maxAgeMinutes: 60 })).id).not.toBe(one.id);
  expect((await server.run(sql, { parameters: [1], maxAgeMinutes: 60 })).id).toBe(one.id);
});

it("lets equal requests share a run under way, each with its own tags", async () => {
  const before = createGate();
  await using server = await startServer({ kind: gatedKind(engine(), { before }) });
  const asked = ["a", "b", "c"].map((name) =>
    server.create({ sql: "select 1", maxAgeMinutes: 5, tags: { name }, waitSeconds: 30 }),
  );
  await eventually(() => before.waiting === 1);
  before.open();
  const requests = await Promise.all(asked);
  expect(new Set(requests.map(({ queryRun }) => queryRun.id)).size).toBe(1);
  expect(requests.filter(({ queryRequest }) => queryRequest.triggeredQueryRun)).toHaveLength(1);
  expect(requests.map(({ queryRequest }) => queryRequest.tags.name).sort()).toEqual(["a", "b", "c"]);
  expect(requests.every(({ queryRun }) => queryRun.state === "QUERY_STATE_SUCCESS")).toBe(true);
});

it("does not outlive a change of the data", async () => {
  const path = join(await temporaryDirectory(), "data.duckdb");
  await writeData(path);
  await using server = await startServer({
    sources: [{ name: "data", provider: "test", path }],
    kind: engine(),
  });
  const first = await server.run("select n from t", { maxAgeMinutes: 60 });
  expect((await server.run("select n from t", { maxAgeMinutes: 60 })).id).toBe(first.id);
  await utimes(path, new Date(), new Date(Date.now() + 5_000));
  expect((await server.run("select n from t", { maxAgeMinutes: 60 })).id).not.toBe(first.id);
});

async function writeData(path: string): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run("create table t as select 1 as n");
  connection.closeSync();
  instance.closeSync();
}

it("never shares a run between two users of a source that runs as the user, and does otherwise", async () => {
  const provider = "quern";
  const sources = [
    { name: "shared", provider },
    { name: "own", provider, runAs: "user" as const },
  ];
  await using server = await startServer({ sources, kind: engine() });
  const [ann, ben] = [await caller(server, { user: "ann" }), await caller(server, { user: "ben" })];
  const triggered = async (user: typeof ann, dataSource: string) => {
    const params = { sql: "select random() as r", dataSource, maxAgeMinutes: 60 };
    const { result } = await user.call("createQueryRun", params);
    return (result?.queryRequest as { triggeredQueryRun: boolean } | undefined)?.triggeredQueryRun;
  };
  expect([await triggered(ann, "own"), await triggered(ben, "own"), await triggered(ann, "own")]).toEqual([
    true,
    true,
    false,
  ]);
  expect([await triggered(ann, "shared"), await triggered(ben, "shared")]).toEqual([true, false]);
});
