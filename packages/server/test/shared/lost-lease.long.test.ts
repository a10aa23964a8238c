import { expect, it } from "vitest";
import { eventually } from "../fixture.ts";
import { createLocalStorage } from "./local-storage.ts";
import { startShared, startWithOutages } from "./servers.ts";

it("stops a run whose lease it cannot renew before another server executes it, however often that happens", async () => {
  await using storage = await createLocalStorage();
  const options = { leaseSeconds: 3 };
  const { server: lost, store } = await startWithOutages(storage, options);
  await using _ = lost;
  const { queryRun } = await lost.create({ sql: "select 'held' as v" });
  const owner = () => storage.store.runs.run(queryRun.id);
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    await eventually(() => lost.begun.length === attempt);
    expect(await owner()).toMatchObject({ state: "QUERY_STATE_RUNNING", attempt });
    store.isAway = true;
    await eventually(() => lost.aborted.length === attempt);
    // No other server can have claimed the run yet: its lease has not ended.
    expect(await storage.store.runs.reclaim("a test", [], 10)).toEqual([]);
    store.isAway = false;
  }
  expect(lost.aborted.map(([, reason]) => reason)).toEqual(Array(4).fill("lost"));
  store.isAway = true;
  await using other = await startShared(storage, options);
  other.gate.open();
  await eventually(async () => (await owner())?.state === "QUERY_STATE_SUCCESS");
  expect(await owner()).toMatchObject({ attempt: 5, lostWorkers: 0 });
  store.isAway = false;
}, 120_000);

it("fails a run that has lost as many servers in a row as it may, and executes the others", async () => {
  await using storage = await createLocalStorage();
  const options = { leaseSeconds: 3, limits: { maxLostServers: 2 } };
  const { server: lost, store } = await startWithOutages(storage, options);
  await using _ = lost;
  const { queryRun } = await lost.create({ sql: "select 'held' as v" });
  const run = () => storage.store.runs.run(queryRun.id);
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await eventually(() => lost.begun.length === attempt);
    store.isAway = true;
    await eventually(() => lost.aborted.length === attempt);
    store.isAway = false;
  }
  await eventually(async () => (await run())?.state === "QUERY_STATE_FAILED");
  expect(await run()).toMatchObject({ attempt: 2, lostWorkers: 0, lostServers: 2, failure: { name: "WorkerLost" } });
  expect((await lost.run("select 1 as n")).state).toBe("QUERY_STATE_SUCCESS");
}, 120_000);
