import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createServer } from "@quern/server";
import { expect, it } from "vitest";
import { openSqliteStore } from "../src/sqlite/store.ts";
import { apiKey, createTestClock, idleKind, startServer, temporaryDirectory } from "./fixture.ts";
import { callWith } from "./identity/callers.ts";

it("answers an unknown path with HTTP 404, and names the right one", async () => {
  await using server = await startServer({ kind: idleKind });
  const response = await fetch(`${server.url}/nothing`, { method: "POST" });
  expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/json"]);
  const error = { code: -32_600, message: "Invalid Request: unknown path; POST to /json-rpc" };
  expect(await response.json()).toEqual({ jsonrpc: "2.0", id: null, error });
});

it("logs a defect with the method and the id of the request, and not the errors of callers", async () => {
  const logged: unknown[] = [];
  const log = { error: (...entry: unknown[]) => void logged.push(entry) };
  const cause = new Error("a defect");
  const kind = { ...idleKind, describe: () => Promise.reject(cause) };
  await using server = await startServer({ kind, log });
  logged.length = 0;
  const credential = { "x-api-key": apiKey, "x-request-id": "request_1" };
  const call = (params: object) =>
    callWith(server.url, credential, { jsonrpc: "2.0", id: 1, method: "describeQuery", params: [params] });
  await call({ sql: "" });
  const response = await call({ sql: "select 1" });
  expect(await response.json()).toMatchObject({ error: { code: -32_603 } });
  expect(logged).toEqual([["describeQuery failed", cause, { requestId: "request_1" }]]);
});

it("counts each call of a batch for the rate, and records a call above it", async () => {
  const limits = { requestsPerSecond: 1, requestBurst: 2 };
  await using server = await startServer({ kind: idleKind, clock: createTestClock(), limits });
  const member = (id: number) => ({ jsonrpc: "2.0", id, method: "listQueryRuns", params: [{}] });
  const call = (body: object) => callWith(server.url, { "x-api-key": apiKey }, body);
  const answers = (await (await call([1, 2, 3].map(member))).json()) as { id: number }[];
  expect(answers.toSorted((one, other) => one.id - other.id)).toMatchObject([
    { result: { queryRuns: [] } },
    { result: { queryRuns: [] } },
    { error: { code: -32_029 } },
  ]);
  const refused = await call(member(4));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "2"]);
  const audit = (await readFile(join(server.dataDir, "audit.jsonl"), "utf8")).trimEnd().split("\n");
  expect(audit.map((line) => JSON.parse(line))).toMatchObject([
    { action: "access.refused", httpStatus: 429, tenantId: "tenant_first", keyId: expect.stringMatching(/^key_/) },
  ]);
});

it("logs a credential that cannot be checked, and answers an internal error", async () => {
  const logged: unknown[] = [];
  const log = { error: (...entry: unknown[]) => void logged.push(entry) };
  const cause = new Error("a defect");
  const store = openSqliteStore(":memory:");
  const keys = { ...store.keys, byHash: () => Promise.reject(cause) };
  await using server = await startServer({ kind: idleKind, log, store: { ...store, keys } });
  logged.length = 0;
  await expect(server.call("listQueryRuns", {})).rejects.toMatchObject({ code: -32_603 });
  expect(logged).toEqual([["authentication failed", cause, { requestId: expect.any(String) }]]);
});

it("lets pages of the allowed origins read downloads", async () => {
  await using server = await startServer({ kind: idleKind, corsOrigins: ["https://a.example"] });
  const allowed = async (origin: string) => {
    const response = await fetch(`${server.url}/results/token`, { headers: { origin } });
    return [response.status, response.headers.get("access-control-allow-origin")];
  };
  expect(await allowed("https://a.example")).toEqual([403, "https://a.example"]);
  expect(await allowed("https://b.example")).toEqual([403, null]);
});

it("closes without its delay if it has not listened", async () => {
  const dataDir = await temporaryDirectory();
  const sourceKinds = { duckdb: idleKind };
  const server = await createServer({ dataDir, sourceKinds, apiKey, shutdownDelaySeconds: 3_600 });
  expect(server.firstKey).toBeUndefined();
  await server.close();
  await rm(dataDir, { recursive: true });
});
