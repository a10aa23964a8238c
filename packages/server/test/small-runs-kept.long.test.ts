import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { temporaryDirectory } from "./fixture.ts";
import { startServerProcess } from "./server-process.ts";
import { createSmallRuns } from "./small-runs.ts";

it("keeps five hundred small results as they were answered, while the server is killed ten times", async () => {
  const [runs, kills] = [500, 10];
  const dataDir = await temporaryDirectory();
  let server = await startServerProcess(dataDir);
  const load = createSmallRuns({ client: () => server, runs, callers: 8, kills });
  for (let killed = 0; killed < kills; killed += 1) {
    await sleep(200 + Math.random() * 400);
    await server.end("SIGKILL");
    server = await startServerProcess(dataDir);
    load.killed();
  }
  await load.done;
  const { answered } = await load.check();
  await server.end("SIGTERM");
  const database = new DatabaseSync(join(dataDir, "quern.db"), { readOnly: true });
  const [stored] = database
    .prepare("SELECT count(*) AS runs, count(record ->> '$.result.cells') AS small FROM runs")
    .all();
  database.close();
  expect(stored?.runs).toBe(runs);
  expect(Number(stored?.small)).toBeGreaterThanOrEqual(answered); // some have lost three servers
  await rm(dataDir, { recursive: true });
}, 350_000);
