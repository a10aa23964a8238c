import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createServer, type Log } from "@quern/server";
import { expect, it } from "vitest";
import { apiKey, createTestClock, idleKind, startServer, temporaryDirectory } from "./fixture.ts";

const request = (
  headers: Record<string, string>,
  body: unknown = { jsonrpc: "2.0", id: 7, method: "listQueryRuns", params: [{}] },
) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

it("refuses a missing or wrong key with 401 and a JSON-RPC error", async () => {
  await using server = await startServer({ kind: idleKind });
  for (const headers of [{}, { "x-api-key": "" }, { "x-api-key": "wrong" }, { authorization: "Basic abc" }]) {
    const response = await fetch(`${server.url}/json-rpc`, request(headers));
    expect(response.status).toBe(401);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: 7, error: { code: -32163 } });
  }
});

it("takes the key from either header", async () => {
  await using server = await startServer({ kind: idleKind });
  for (const headers of [{ "x-api-key": apiKey }, { authorization: `Bearer ${apiKey}` }]) {
    const response = await fetch(`${server.url}/json-rpc`, request(headers));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 7, result: { queryRuns: [], nextCursor: null } });
  }
});

it("answers a batch, bad parameters and its own document", async () => {
  await using server = await startServer({ kind: idleKind });
  const calls = [
    { jsonrpc: "2.0", id: 1, method: "createQueryRun", params: [{ sql: 1 }] },
    { jsonrpc: "2.0", id: 2, method: "rpc.discover", params: [] },
    { jsonrpc: "2.0", id: 3, method: "nope", params: [{}] },
  ];
  const response = await fetch(`${server.url}//json-rpc`, request({ "x-api-key": apiKey }, calls));
  const answers: { id: number }[] = await response.json();
  const byId = answers.sort((a, b) => a.id - b.id);
  expect(byId).toMatchObject([
    { error: { code: -32602, data: { issues: [{ pointer: "/params/0/sql" }] } } },
    { result: { openrpc: "1.3.2" } },
    { error: { code: -32601 } },
  ]);
});

it("makes a first key once, and keeps only its hash", async () => {
  const dataDir = await temporaryDirectory();
  const open = (key?: string) =>
    createServer({
      dataDir,
      apiKey: key,
      sources: [{ name: "a", provider: "b" }],
      sourceKinds: { duckdb: idleKind },
      log: silent,
    });
  const first = await open();
  const { firstKey } = first;
  expect(firstKey).toMatch(/^qk_[0-9a-f]{8}_[\w-]{43}$/);
  await first.close();

  const second = await open();
  expect(second.firstKey).toBeUndefined();
  expect(await status(second, firstKey ?? "")).toBe(200);
  await second.close();

  // A key of the environment follows the environment; the generated one stays.
  const third = await open("one");
  expect(await status(third, "one")).toBe(200);
  await third.close();
  const fourth = await open("two");
  const { url } = await fourth.listen();
  const statusOf = async (key: string) => (await fetch(`${url}/json-rpc`, request({ "x-api-key": key }))).status;
  expect(await Promise.all(["one", "two", firstKey ?? ""].map(statusOf))).toEqual([401, 200, 200]);
  await fourth.close();
  await rm(dataDir, { recursive: true });
});

const silent: Log = { error: () => {} };

async function status(server: Awaited<ReturnType<typeof createServer>>, key: string): Promise<number> {
  const { url } = await server.listen();
  return (await fetch(`${url}/json-rpc`, request({ "x-api-key": key }))).status;
}

it("lets a key make as many requests as the operator allows, by HTTP status 429", async () => {
  await using server = await startServer({
    kind: idleKind,
    limits: { requestsPerSecond: 0.1, requestBurst: 2 },
    clock: createTestClock(),
  });
  const post = () => fetch(`${server.url}/json-rpc`, request({ "x-api-key": apiKey }));
  expect((await post()).status).toBe(200);
  expect((await post()).status).toBe(200);
  const refused = await post();
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("10");
  expect(await refused.json()).toMatchObject({ id: 7, error: { code: -32029, data: { retryAfterMs: 10_000 } } });
});

it("records no refused credential if the rate of a tenant cannot be read", async () => {
  await using server = await startServer({ kind: idleKind, log: silent });
  await server.run("select 1"); // creates the audit log
  using database = new DatabaseSync(join(server.dataDir, "quern.db"));
  database.exec("ALTER TABLE tenants RENAME TO moved");
  const post = () => fetch(`${server.url}/json-rpc`, request({ "x-api-key": apiKey }));
  expect((await post()).status).toBe(500);
  expect(await readFile(join(server.dataDir, "audit.jsonl"), "utf8")).not.toContain("access.refused");
  database.exec("ALTER TABLE moved RENAME TO tenants");
  expect((await post()).status).toBe(200);
});
