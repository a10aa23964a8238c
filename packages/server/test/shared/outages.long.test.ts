import { expect, it } from "vitest";
import { apiKey, eventually, RpcError } from "../fixture.ts";
import { createLocalStorage } from "./local-storage.ts";
import { startWithOutages } from "./servers.ts";

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
  const { server, results } = await startWithOutages(storage, { limits: { maxSmallResultBytes: 0 } });
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
