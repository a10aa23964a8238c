import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { eventually, startServer, temporaryDirectory } from "./fixture.ts";
import { startServerProcess } from "./server-process.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryDirectory();
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const slow = "select count(*) from range(20000) a, range(5000) b where (a.range + b.range) % 7 = 0";

it("runs the unfinished runs of a killed server again, and keeps its finished ones", async () => {
  const first = await startServerProcess(dataDir);
  const done = await first.run("select 1");
  const { queryRun } = await first.create({ sql: slow });
  await eventually(async () => (await first.get(queryRun.id)).state === "QUERY_STATE_RUNNING");
  await first.end("SIGKILL");
  await writeFile(join(dataDir, "results", "run_lost.1.parquet"), "what nobody owns");

  await using second = await startServer({ dataDir });
  expect((await second.results({ queryRunId: done.id })).rows).toEqual([[1]]);
  expect(await second.get(queryRun.id, 20)).toMatchObject({ state: "QUERY_STATE_SUCCESS", rowCount: 1 });
  expect(await readdir(join(dataDir, "results"))).toEqual([]);
});

it("gives up a run over which the server died three times", async () => {
  let runId: string | undefined;
  for (let lost = 0; lost < 3; lost += 1) {
    const server = await startServerProcess(dataDir);
    runId ??= (await server.create({ sql: `${slow.replace("(5000)", "(5000000)")}` })).queryRun.id;
    const id = runId;
    await eventually(async () => (await server.get(id)).state === "QUERY_STATE_RUNNING");
    await server.end("SIGKILL");
  }
  await using server = await startServer({ dataDir });
  expect(await server.get(runId ?? "")).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: "WorkerLost" });
});
