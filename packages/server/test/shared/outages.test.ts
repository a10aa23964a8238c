import { expect, it } from "vitest";
import { apiKey, eventually, RpcError } from "../fixture.ts";
import { createFakeOutage } from "../outages.ts";
import { createLocalStorage } from "./local-storage.ts";
import { type SharedStorage, startShared } from "./servers.ts";

/** Starts a server whose store and result store can be away, beside the storage that others use. */
async function startWithOutages(storage: SharedStorage, options: Parameters<typeof startShared>[1] = {}) {
  const store = createFakeOutage(await storage.openStore());
  const results = createFakeOutage(await storage.openResults());
  const wrapped = { openStore: async () => store.store, openResults: async () => results.store };
  const server = await startShared(wrapped, { storeCacheSeconds: 0, ...options });
  return { server, store, results };
}

async function answerOf(
  url: string,
): Promise<readonly [status: number, retryAfter: string | null, code: number | undefined]> {
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] });
  const response = await fetch(`${url}/json-rpc`, { method: "POST", headers, body });
  const { error } = (await response.json()) as { error?: { code: number } };
  return [response.status, response.headers.get("retry-after"), error?.code];
}

async function readiness(url: string): Promise<[status: number, state: unknown]> {
  const response = await fetch(`${url}/readyz`);
  return [response.status, await response.json()];
}

it("answers with a declared error while the store is away, is not ready, and completes its run afterwards", async () => {
  await using storage = await createLocalStorage();
  const { server, store } = await startWithOutages(storage);
  await using _ = server;
  expect(await readiness(server.url)).toEqual([200, { status: "ready" }]);
  const { queryRun } = await server.create({ sql: "select 'held' as v" });
  await eventually(() => server.gate.waiting === 1);
  store.isAway = true;
  expect(await answerOf(server.url)).toEqual([503, "2", -32178]);
  await eventually(async () => (await readiness(server.url))[0] === 503);
  expect(await readiness(server.url)).toEqual([503, { status: "unavailable", missing: ["store"] }]);
  server.gate.open();
  await expect(server.get(queryRun.id)).rejects.toThrow(RpcError);
  store.isAway = false;
  expect((await server.get(queryRun.id, 30)).state).toBe("QUERY_STATE_SUCCESS");
  expect(await storage.store.runs.run(queryRun.id)).toMatchObject({ attempt: 1, lostWorkers: 0 });
  expect((await server.results({ queryRunId: queryRun.id })).rows).toEqual([["held"]]);
  await eventually(async () => (await readiness(server.url))[0] === 200);
});

it("keeps a result while the result store is away, and stores it afterwards", async () => {
  await using storage = await createLocalStorage();
  const { server, results } = await startWithOutages(storage);
  await using _ = server;
  const stored = await server.run("select 1 as v");
  const { queryRun } = await server.create({ sql: "select 'held' as v" });
  await eventually(() => server.gate.waiting === 1);
  results.isAway = true;
  server.gate.open();
  const refused = { code: -32178, data: { retryAfterMs: 2_000 } };
  await expect(server.results({ queryRunId: stored.id })).rejects.toMatchObject(refused);
  await eventually(async () => (await readiness(server.url))[0] === 503);
  expect((await readiness(server.url))[1]).toEqual({ status: "unavailable", missing: ["results"] });
  expect((await server.get(queryRun.id)).endedAt).toBeNull();
  results.isAway = false;
  expect((await server.get(queryRun.id, 30)).state).toBe("QUERY_STATE_SUCCESS");
  expect(await storage.store.runs.run(queryRun.id)).toMatchObject({ attempt: 1, lostWorkers: 0 });
  // The result that could not be read was not taken for a missing one.
  expect((await server.results({ queryRunId: stored.id })).rows).toEqual([[1]]);
});

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
    expect(await storage.store.runs.reclaim("a test", [], false)).toEqual([]);
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
