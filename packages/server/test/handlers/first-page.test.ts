import { StatementError } from "@quern/adapter";
import { submission } from "@quern/adapter/contract";
import type { CreateQueryRunParams, CreateQueryRunResult, ListQueryRunsResult } from "@quern/protocol/types";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { listUsage } from "@quern/server/administration";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import type { Context, Service } from "../../src/handlers/context.ts";
import { firstPage } from "../../src/handlers/first-page.ts";
import { createGate, createTestClock, duckdbKind, gatedKind, startServer, type TestServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ kind: await oneProcessKind() });
});
afterAll(() => server[Symbol.asyncDispose]());

const threeRows = "select i, i as I, 9007199254740993 as big from range(3) t(i)";
const create = (params: Partial<CreateQueryRunParams>) =>
  server.create({ sql: threeRows, waitSeconds: 20, results: {}, ...params });

it.each(["csv", "json"] as const)("carries the page that getQueryRunResults returns, as %s", async (format) => {
  const { queryRun, results } = await create({ results: { format, page: { size: 2 } } });
  const page = { number: 1, size: 2 };
  expect(results).toEqual(await server.results({ queryRunId: queryRun.id, format, page }));
  expect(results?.rows).toHaveLength(2);
});

it("has 1,000 rows as arrays by default, and none for a size of 0", async () => {
  const many = "select * from range(1001)";
  const { results } = await create({ sql: many });
  expect(results).toMatchObject({ format: "csv", page: { currentPageSize: 1_000, totalRows: 1_001 } });
  expect(results?.rows).toHaveLength(1_000);
  expect((await create({ sql: many, results: { page: { size: 0 } } })).results?.rows).toEqual([]);
});

it("is carried for a reused run and for a repeated call, whatever page the first call requested", async () => {
  const first = await create({ idempotencyKey: "first", results: undefined });
  expect(first).not.toHaveProperty("results");
  const repeated = await create({ idempotencyKey: "first", waitSeconds: 0, results: { format: "json" } });
  expect(repeated.queryRequest).toEqual(first.queryRequest);
  expect(repeated.results?.rows?.[1]).toEqual({ i: 1, i_2: 1, big: "9007199254740993" });
  const reused = await create({ maxAgeMinutes: 60, waitSeconds: 0 });
  expect(reused.queryRequest.triggeredQueryRun).toBe(false);
  expect(reused.results?.rows).toHaveLength(3);
});

it("is carried by each member of a batch", async () => {
  await create({});
  const member = { method: "createQueryRun", params: { sql: threeRows, maxAgeMinutes: 60, results: {} } };
  const answers = await server.batch<readonly CreateQueryRunResult[]>([member, member, member]);
  expect(answers.map(({ results }) => results?.rows?.length)).toEqual([3, 3, 3]);
});

it.each([
  { format: "parquet", pointer: "/format" },
  { page: { size: -1 }, pointer: "/page/size" },
  { page: { number: 2 }, pointer: "/page/number" },
])("is refused before the run exists: $pointer", async ({ pointer, ...results }) => {
  const listed = () => server.call<ListQueryRunsResult>("listQueryRuns", {});
  const before = await listed();
  await expect(server.call("createQueryRun", { sql: "select 1", results })).rejects.toMatchObject({
    code: -32602,
    data: { issues: [{ pointer: `/params/0/results${pointer}` }] },
  });
  expect(await listed()).toEqual(before);
});

it("is left out unless the run has succeeded", async () => {
  const failed = await create({ sql: "select error('no')" });
  expect(failed.queryRun.state).toBe("QUERY_STATE_FAILED");
  expect(failed).not.toHaveProperty("results");
  const before = createGate();
  await using slow = await startServer({ kind: gatedKind(await duckdbKind(), { before }) });
  expect(await slow.create({ sql: "select 1", waitSeconds: 1, results: {} })).not.toHaveProperty("results");
});

it("is left out for a caller without the scope read, and counted as read for one with it", async () => {
  const writer = await caller(server, { user: "writer", scopes: ["run"] });
  const reader = await caller(server, { user: "reader", scopes: ["run", "read"] });
  const params = { sql: threeRows, waitSeconds: 20, results: {} };
  expect((await writer.call("createQueryRun", params)).result).toMatchObject({
    queryRun: { state: "QUERY_STATE_SUCCESS" },
    sqlStatement: { columnMetadata: null },
  });
  expect((await writer.call("createQueryRun", params)).result).not.toHaveProperty("results");
  expect((await reader.call("createQueryRun", params)).result).toHaveProperty("results.rows.2");
  await vi.waitFor(async () => {
    const usage = await listUsage(server.dataDir);
    const bytesOf = (name: string) => usage.find(({ userId }) => userId === name)?.bytesRead;
    expect(bytesOf("reader")).toBeGreaterThan(100);
    expect(bytesOf("writer")).toBe(0);
  }, 10_000);
});

it("is left out if it is too large, and if the result has expired; the run is created all the same", async () => {
  const clock = createTestClock();
  await using small = await startServer({ kind: await oneProcessKind(), clock, limits: { maxPageBytes: 1_000 } });
  const wide = await small.create({ sql: "select repeat('x', 2000) as x", waitSeconds: 20, results: {} });
  expect(wide.queryRun.state).toBe("QUERY_STATE_SUCCESS");
  expect(wide).not.toHaveProperty("results");
  const call = { sql: "select 1 as n", waitSeconds: 20, results: {}, idempotencyKey: "k" };
  const created = await small.create(call);
  expect(created.results?.rows).toEqual([[1]]);
  clock.advance(2 * 3_600_000);
  const repeated = await small.create(call);
  expect(repeated.queryRequest.id).toBe(created.queryRequest.id);
  expect(repeated).not.toHaveProperty("results");
});

const clock = createTestClock();
const ended = {
  ...createRun({ ...submission().run, id: "run_a", tenantId: "acme", userId: "ann" }, clock.now()),
  state: "QUERY_STATE_SUCCESS",
  result: { columns: [], rowCount: 0, totalBytes: 0 },
} as RunRecord;

it.each<[string, boolean, () => Promise<unknown>]>([
  [
    "the reader is busy",
    true,
    () => Promise.reject(new StatementError({ name: "TooManyPages", message: "", data: { category: "RESOURCE" } })),
  ],
  ["the reader fails", true, () => Promise.reject(new Error("lost"))],
  ["the batch has no bytes left", false, async () => ({ position: {}, rows: Buffer.from("[]") })],
])("is left out if %s, and not counted", async (_, hasBytes, answer) => {
  const read = vi.fn();
  const service = {
    clock,
    results: { open: async () => ({ paths: ["file"], release: async () => {} }) },
    reader: { page: answer },
    statementTexts: { of: async () => "select 1" },
    limits: { maxPageBytes: 1_000, filteredPageTimeoutSeconds: 30 },
    telemetry: { metrics: { pageAnswered: read }, read },
  } as unknown as Service;
  const principal = { tenantId: "acme", userId: "ann", scopes: new Set(["read"]) };
  const context = { principal, signal: new AbortController().signal, reserveReply: () => hasBytes };
  expect(await firstPage(ended, {}, context as unknown as Context, service)).toBeUndefined();
  expect(read).not.toHaveBeenCalled();
});
