import { join } from "node:path";
import { expect, it } from "vitest";
import { firstTenant } from "../src/identity/api-key.ts";
import { openDatabase } from "../src/sqlite/database.ts";
import { apiKey, createTestClock, idleKind, startServer, type TestServer } from "./fixture.ts";
import { callWith } from "./identity/callers.ts";
import { insertManyRuns } from "./sqlite/many-runs.ts";

interface Answer {
  readonly id: number;
  readonly result?: object;
  readonly error?: { readonly code: number; readonly data?: unknown };
}

/** Sends a batch of `listQueryRuns`. Resolves when the answer begins. */
async function lists({ url }: TestServer, count: number, params: object = {}): Promise<Response> {
  const calls = Array.from({ length: count }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "listQueryRuns",
    params: [params],
  }));
  return callWith(url, { "x-api-key": apiKey }, calls);
}

async function answersOf(response: Response): Promise<readonly Answer[]> {
  expect(response.status).toBe(200);
  return (await response.json()) as readonly Answer[];
}

it("answers other requests while it performs a batch of lists", async () => {
  await using server = await startServer({ kind: idleKind });
  const database = openDatabase(join(server.dataDir, "quern.db"));
  insertManyRuns(database, { count: 1_000, ...firstTenant });
  database.close();
  let isAnswered = false;
  const batch = lists(server, 20, { limit: 1_000 }).finally(() => {
    isAnswered = true;
  });
  let served = 0;
  while (!isAnswered) {
    const health = await fetch(`${server.url}/healthz`);
    await health.text();
    served += 1;
  }
  expect((await answersOf(await batch)).map(({ result }) => result !== undefined)).toEqual(Array(20).fill(true));
  expect(served).toBeGreaterThan(10);
});

it("counts each call of a batch against the rate of the key", async () => {
  const clock = createTestClock();
  await using server = await startServer({ clock, kind: idleKind, limits: { requestsPerSecond: 1, requestBurst: 5 } });
  const refused = (retryAfterMs: number) => ({ code: -32029, data: { retryAfterMs } });
  expect(await answersOf(await lists(server, 8))).toMatchObject([
    ...[0, 1, 2, 3, 4].map((id) => ({ id, result: {} })),
    ...[5, 6, 7].map((id) => ({ id, error: refused((id - 4) * 1_000) })),
  ]);
  expect((await callWith(server.url, { "x-api-key": apiKey }, [])).status).toBe(429);
  clock.advance(2_000);
  expect(await answersOf(await lists(server, 3))).toMatchObject([
    { result: {} },
    { result: {} },
    { error: refused(3_000) },
  ]);
});
