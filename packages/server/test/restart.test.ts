import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createGate, duckdbKind, eventually, gatedKind, startServer, temporaryDirectory } from "./fixture.ts";
import { startServerProcess } from "./server-process.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryDirectory();
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

it("gives unfinished runs back when it is closed", async () => {
  const before = createGate();
  const kind = gatedKind(await duckdbKind(), { before });
  const first = await startServer({ dataDir, kind });
  const { queryRun } = await first.create({ sql: "select 42" });
  await eventually(() => before.waiting === 1);
  const held = first.get(queryRun.id, 30);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await first.stop();
  expect((await held).state).not.toBe("QUERY_STATE_FAILED");

  await using second = await startServer({ dataDir });
  expect(await second.get(queryRun.id, 20)).toMatchObject({ state: "QUERY_STATE_SUCCESS" });
});

it("removes the result that a killed server had put in place for a run which it did not end", async () => {
  const before = createGate();
  const kind = gatedKind(await duckdbKind(), { before });
  const first = await startServer({ dataDir, kind });
  const { queryRun } = await first.create({ sql: "select 42" });
  await eventually(() => before.waiting === 1);
  await first.stop();
  const database = new DatabaseSync(join(dataDir, "quern.db"));
  database.exec("UPDATE runs SET record = json_set(record, '$.state', 'QUERY_STATE_RUNNING', '$.attempt', 1)");
  database.close();
  await writeFile(join(dataDir, "results", `${queryRun.id}.1.parquet`), "complete");

  await using _ = await startServer({ dataDir, kind: gatedKind(kind, { before: createGate() }) });
  expect(await readdir(join(dataDir, "results"))).toEqual([]);
});

it("refuses a data directory that another server uses", async () => {
  const other = await startServerProcess(dataDir);
  await expect(startServer({ dataDir })).rejects.toThrow(
    `The data directory ${dataDir} is in use by another Quern server or command (process ${other.process.pid}); stop it`,
  );
  await other.end("SIGKILL");
  await using server = await startServer({ dataDir });
  await expect(startServer({ dataDir })).rejects.toThrow("in use");
  expect(await server.rows("select 1")).toEqual([[1]]);
});
