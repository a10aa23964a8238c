import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { oneProcessOfFile } from "../../duckdb/test/executor/one-process.ts";
import { createTestClock, startServer } from "./fixture.ts";

const engine = oneProcessOfFile();

const hour = 3_600_000;

it("keeps a result for its hours, then says when it went", async () => {
  const clock = createTestClock();
  await using server = await startServer({ clock, kind: engine() });
  const run = await server.run("select 1", { resultTTLHours: 2 });
  clock.advance(2 * hour - 1);
  expect((await server.results({ queryRunId: run.id })).rows).toEqual([[1]]);

  clock.advance(1);
  const expired = server.results({ queryRunId: run.id });
  const archivedAt = "2026-11-20T11:30:00.000Z";
  await expect(expired).rejects.toMatchObject({ code: -32172, data: { archivedAt } });
  expect((await server.get(run.id)).archivedAt).toBe(archivedAt);
  clock.advance(hour);
  await server.reap();
  expect((await server.get(run.id)).archivedAt).toBe(archivedAt);
});

it("archives the record first, then removes the file", async () => {
  const clock = createTestClock();
  await using server = await startServer({ clock, kind: engine(), limits: { maxSmallResultBytes: 0 } });
  const short = await server.run("select 1");
  const long = await server.run("select 2", { resultTTLHours: 48 });
  clock.advance(hour);
  await server.reap();
  expect(await server.get(short.id)).toMatchObject({
    state: "QUERY_STATE_SUCCESS",
    archivedAt: "2026-11-20T10:30:00.000Z",
  });
  await expect(server.results({ queryRunId: short.id })).rejects.toMatchObject({ code: -32172 });
  expect(await readdir(join(server.dataDir, "results"))).toEqual([`${long.id}.1.parquet`]);
  expect((await server.results({ queryRunId: long.id })).rows).toEqual([[2]]);
});

it("archives a result whose file is gone, when it is read or downloaded", async () => {
  await using server = await startServer({ kind: engine(), limits: { maxSmallResultBytes: 0 } });
  const [read, downloaded] = [await server.run("select 1"), await server.run("select 2")];
  const { url } = await server.call<{ url: string }>("getQueryRunDownload", {
    queryRunId: downloaded.id,
    format: "csv",
  });
  for (const { id } of [read, downloaded]) await rm(join(server.dataDir, "results", `${id}.1.parquet`));
  await expect(server.results({ queryRunId: read.id })).rejects.toMatchObject({ code: -32172 });
  expect((await fetch(url)).status).toBe(410);
  for (const { id } of [read, downloaded])
    expect(await server.get(id)).toMatchObject({ state: "QUERY_STATE_SUCCESS", archivedAt: expect.any(String) });
  expect((await server.run("select 1", { maxAgeMinutes: 60 })).id).not.toBe(read.id);
});

it("removes orphaned files while it runs, and no others", async () => {
  await using server = await startServer({ kind: engine(), limits: { maxSmallResultBytes: 0 } });
  const { id } = await server.run("select 1");
  const results = join(server.dataDir, "results");
  for (const name of [`${id}.0.parquet`, "run_unknown.1.parquet"]) await writeFile(join(results, name), "left");
  // Earlier versions kept sorted copies beside the results.
  for (const name of ["run_unknown.1.sorted", `${id}.1.sorted`]) await mkdir(join(results, name));
  await server.reap();
  expect(await readdir(results)).toEqual([`${id}.1.parquet`]);
});

it("is extended by a later request, and an expired result is not reused", async () => {
  const clock = createTestClock();
  await using server = await startServer({ clock, kind: engine() });
  const run = await server.run("select 1", { resultTTLHours: 1 });
  clock.advance(hour / 2);
  await server.run("select 1", { resultTTLHours: 1, maxAgeMinutes: 600 });
  clock.advance(hour / 2);
  expect((await server.results({ queryRunId: run.id })).rows).toEqual([[1]]);
  clock.advance(hour / 2);
  const again = await server.create({ sql: "select 1", maxAgeMinutes: 600 });
  expect(again.queryRequest.triggeredQueryRun).toBe(true);
});

it("knows a run for 45 days, and its statement as long as a run of it", async () => {
  const clock = createTestClock();
  await using server = await startServer({ clock, kind: engine() });
  const run = await server.run("select 1");
  const statement = { sqlStatementId: run.sqlStatementId };
  clock.advance(45 * 24 * hour);
  await server.reap();
  expect((await server.get(run.id)).state).toBe("QUERY_STATE_SUCCESS");
  const second = await server.run("select 1");
  clock.advance(1);
  await server.reap();
  await expect(server.get(run.id)).rejects.toMatchObject({ code: -32099 });
  await server.call("getSqlStatement", statement);
  await server.call("getQueryRun", { queryRunId: second.id });
  clock.advance(45 * 24 * hour);
  await server.reap();
  await expect(server.call("getSqlStatement", statement)).rejects.toMatchObject({ code: -32100 });
});

it("clamps hours and minutes", async () => {
  await using server = await startServer({ kind: engine() });
  const { queryRequest } = await server.create({ sql: "select 1", resultTTLHours: 0, maxAgeMinutes: 99_999 });
  expect(queryRequest).toMatchObject({ resultTTLHours: 1, maxAgeMinutes: 10_080 });
  const long = await server.create({ sql: "select 1", resultTTLHours: 99_999 });
  expect(long.queryRequest.resultTTLHours).toBe(720);
  await expect(server.create({ sql: "select 1", maxAgeMinutes: -1 })).rejects.toMatchObject({ code: -32602 });
  await expect(server.create({ sql: "select 1", resultTTLHours: 1.5 })).rejects.toMatchObject({ code: -32602 });
});
