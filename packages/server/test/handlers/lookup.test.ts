import { type RunStore, StatementError } from "@quern/adapter";
import { submission } from "@quern/adapter/contract";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { expect, it, vi } from "vitest";
import type { MethodHandlers } from "../../src/generated/handlers.ts";
import { cancelQueryRun } from "../../src/handlers/cancel-query-run.ts";
import type { Context, Service } from "../../src/handlers/context.ts";
import { listQueryRuns } from "../../src/handlers/list-query-runs.ts";
import { findResult, findRun, findSource, findStatement } from "../../src/handlers/lookup.ts";
import { permitted } from "../../src/handlers/permission.ts";
import type { Principal } from "../../src/identity/principal.ts";
import { createSourceCatalog } from "../../src/sources/catalog.ts";
import { createTestClock, idleKind } from "../fixture.ts";

const ann: Principal = { tenantId: "acme", userId: "ann", apiKeyId: "key_1", scopes: new Set(["run"]), sources: null };
const run: RunRecord = {
  ...createRun({ ...submission().run, id: "run_a", tenantId: "acme", userId: "ann", dataSourceId: "lake" }, 0),
  state: "QUERY_STATE_SUCCESS",
  result: { columns: [], rowCount: 1, totalBytes: 7 },
};
const _failure = (name: string) => new StatementError({ name, message: "", data: { category: "DATA_SOURCE" } });

it.each<[string, Partial<Principal>, readonly string[], boolean]>([
  ["its user", {}, [], true],
  ["another user", { userId: "bob" }, [], false],
  ["another user who requested it", { userId: "bob" }, ["bob"], true],
  ["an administrator", { userId: "bob", scopes: new Set(["tenant:admin"]) }, [], true],
  ["its user with a key for its source", { sources: ["lake"] }, [], true],
  ["its user with a key for other sources", { sources: ["shop"] }, [], false],
  ["an administrator of another tenant", { tenantId: "rival", scopes: new Set(["tenant:admin"]) }, ["ann"], false],
])("shows a run to %s", async (_, change, requesters, isShown) => {
  const runs = { run: async () => run, hasRequested: async (userId: string) => requesters.includes(userId) };
  const found = findRun(runs as unknown as RunStore, { ...ann, ...change }, "run_a");
  if (isShown) expect(await found).toBe(run);
  else await expect(found).rejects.toMatchObject({ code: -32_099, data: { queryRunId: "run_a" } });
});

it("finds no unknown run", async () => {
  const runs = { run: async () => undefined } as unknown as RunStore;
  await expect(findRun(runs, ann, "run_b")).rejects.toMatchObject({ code: -32_099, data: { queryRunId: "run_b" } });
});

it("finds a result until it expires or is archived", () => {
  expect(findResult(run, 0)).toBe(run.result);
  expect(findResult({ ...run, expiresAt: 1 }, 0)).toBe(run.result);
  const archivedAt = "1970-01-01T00:00:00.001Z";
  for (const change of [{ expiresAt: 1 }, { archivedAt: 1, expiresAt: 9 }])
    expect(() => findResult({ ...run, ...change }, 1)).toThrow(expect.objectContaining({ data: { archivedAt } }));
  const state = "QUERY_STATE_FAILED";
  expect(() => findResult({ ...run, state, result: null }, 0)).toThrow(expect.objectContaining({ data: { state } }));
});

it("finds a statement with the latest request that the caller can see", async () => {
  const [statement, latest] = [{ id: "st_1" }, { request: {}, run }];
  const latestRequest = vi.fn(async (): Promise<unknown> => latest);
  const runs = { statement: async (_: string, id: string) => (id === "st_1" ? statement : undefined), latestRequest };
  const find = (id: string, principal = ann) => findStatement(runs as unknown as RunStore, principal, id);
  expect(await find("st_1")).toEqual({ statement, ...latest });
  await find("st_1", { ...ann, scopes: new Set(["tenant:admin"]), sources: ["lake"] });
  expect(latestRequest.mock.calls).toEqual([
    ["st_1", { userId: "ann", sources: null }],
    ["st_1", { userId: undefined, sources: ["lake"] }],
  ]);
  const unknown = { code: -32_100, data: { sqlStatementId: "st_2" } };
  await expect(find("st_2")).rejects.toMatchObject(unknown);
  latestRequest.mockResolvedValueOnce(undefined);
  await expect(find("st_1")).rejects.toMatchObject({ code: -32_100 });
});

it("finds a source that the caller may query, and tells nothing about the others", () => {
  const configured = ["a", "b"].map((name) => ({ name, provider: "p", oldNames: false }));
  const sources = createSourceCatalog(() => configured, new Map([["duckdb", idleKind]]));
  const ofB = { ...ann, sources: ["b"] };
  expect(findSource(sources, ann).name).toBe("a");
  expect(findSource(sources, ofB, "b", "p").name).toBe("b");
  for (const [names, error] of [
    [["a"], { code: -32_164, data: { dataSource: "a" } }],
    [[], { code: -32_164, data: { dataSource: "a" } }],
    [["c"], { code: -32_164, data: { dataSource: "c" } }],
    [["b", "q"], { code: -32_167, data: { dataProvider: "q" } }],
  ] as const)
    expect(() => findSource(sources, ofB, ...names)).toThrow(expect.objectContaining(error));
});

/** Cancels on a store with one run. `change` is what the cancellation has changed. */
async function canceled(params: object, change: unknown, found: RunRecord = run, principal = ann) {
  const [apply, withdraw, audited] = [vi.fn(async () => change), vi.fn(async () => change), vi.fn()];
  const request = { queryRunId: "run_a", id: "req_1" };
  const withdrawKey = vi.fn(async ({ key }: { readonly key: string }) => (key === "known" ? request : undefined));
  const service = {
    store: { runs: { run: async () => found, withdrawKey } },
    changes: { apply, withdraw },
    telemetry: { audited },
    clock: createTestClock(),
  } as unknown as Service;
  const context = { principal } as unknown as Context;
  const answer = await cancelQueryRun(params, context, service);
  return { answer, apply, withdraw, withdrawKey, details: audited.mock.calls.map(([, ...event]) => event) };
}

const running: RunRecord = { ...run, state: "QUERY_STATE_RUNNING", result: null };
const after = { ...running, state: "QUERY_STATE_CANCELED", endedAt: 1 };

it("cancels a run for all its requests, and answers with it under both names", async () => {
  const { answer, apply, details } = await canceled({ queryRunId: "run_a" }, { accepted: true, run: after }, running);
  expect(answer.queryRun).toMatchObject({ id: "run_a", state: "QUERY_STATE_CANCELED" });
  expect(answer.canceledQueryRun).toEqual(answer.queryRun);
  expect(apply.mock.calls).toEqual([["run_a", { type: "canceled" }]]);
  expect(details).toEqual([["run.cancel", { runId: "run_a", queryRequestId: null }]]);
});

it("withdraws a request by its id or its key, of any user for an administrator", async () => {
  const change = { accepted: true, run: running };
  const byId = await canceled({ queryRunId: "run_a", queryRequestId: "req_1" }, change, running);
  expect(byId.withdraw.mock.calls).toEqual([[{ runId: "run_a", requestId: "req_1", userId: "ann" }]]);
  expect(byId.details).toEqual([["run.cancel", { runId: "run_a", queryRequestId: "req_1" }]]);
  const admin: Principal = { ...ann, scopes: new Set(["tenant:admin"]) };
  const byKey = await canceled({ idempotencyKey: "known" }, change, running, admin);
  expect(byKey.withdrawKey.mock.calls).toEqual([[{ apiKeyId: "key_1", key: "known" }]]);
  expect(byKey.withdraw.mock.calls).toEqual([[{ runId: "run_a", requestId: "req_1", userId: undefined }]]);
  const early = await canceled({ idempotencyKey: "unknown" }, change, running);
  expect([early.answer, early.details]).toEqual([{ canceledQueryRun: null, queryRun: null }, []]);
});

it("refuses a run that has ended before or meanwhile, and answers again for a canceled one", async () => {
  for (const state of ["QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED"] as const)
    await expect(canceled({ queryRunId: "run_a" }, undefined, { ...run, state })).rejects.toMatchObject({
      code: -32_165,
      data: { state },
    });
  await expect(canceled({ queryRunId: "run_a" }, undefined, running)).rejects.toMatchObject({ code: -32_099 });
  const accepted = { accepted: true, run };
  await expect(canceled({ queryRunId: "run_a" }, accepted, running)).rejects.toMatchObject({ code: -32_165 });
  const again = await canceled({ queryRunId: "run_a" }, { accepted: false }, after as RunRecord);
  expect(again.answer.queryRun?.state).toBe("QUERY_STATE_CANCELED");
  await expect(canceled({}, undefined)).rejects.toMatchObject({ code: -32_602 });
});

const handlersOf = (handler: () => Promise<unknown>) =>
  ({ listTables: handler, listQueryRuns: handler }) as unknown as MethodHandlers<Context>;

it("refuses a call without the scope of its method, and reports the scope", () => {
  const [handler, onRefused] = [vi.fn(), vi.fn()];
  const { listTables, listQueryRuns } = permitted(handlersOf(handler), onRefused);
  const context = { principal: ann } as Context;
  void listTables({}, context);
  expect(handler.mock.calls).toEqual([[{}, context]]);
  expect(() => listQueryRuns({}, context)).toThrow(expect.objectContaining({ httpStatus: 403 }));
  expect([handler.mock.calls.length, onRefused.mock.calls]).toEqual([1, [[context, "read"]]]);
});

it("lists runs by the filters of a call, and continues after its cursor", async () => {
  const next = { createdAt: 7, id: "run_a" };
  const pooled = Buffer.from("[]");
  const list = vi.fn(async (_: object): Promise<object> => ({ json: pooled, next }));
  const service = {
    store: { runs: { list } },
    clock: createTestClock(),
    disk: {},
    limitsOf: async () => ({}),
    scheduler: { waitReasons: () => ({}) },
  } as unknown as Service;
  const sent: (() => void)[] = [];
  const onSent = (callback: () => void) => void sent.push(callback);
  const call = (params: object) => listQueryRuns(params, { principal: ann, onSent } as Context, service);
  await call({});
  const cursor = (text: string) => Buffer.from(text).toString("base64url");
  await call({
    tags: { a: "b" },
    since: "1970-01-01T00:00:01Z",
    until: "1970-01-01T00:00:02Z",
    text: "x",
    limit: 3,
    cursor: cursor('["7","run_a"]'),
  });
  const query = { tenantId: "acme", userId: "ann", sources: null, states: undefined };
  expect(list.mock.calls.map(([given]) => given)).toEqual([
    { ...query, tags: {}, since: undefined, until: undefined, text: undefined, limit: 50, after: undefined },
    { ...query, tags: { a: "b" }, since: 1_000, until: 2_000, text: "x", limit: 3, after: next },
  ]);
  const own = new TextEncoder().encode("[]").slice();
  list.mockResolvedValueOnce({ json: own, next: null });
  await call({});
  expect(own).toHaveLength(2);
  for (const callback of sent) callback();
  // The memory of a small Buffer belongs to others, too.
  expect([own.byteLength, String(pooled)]).toEqual([0, "[]"]);
  for (const text of ["7", '["x7","run_a"]', '["7","run_a","b"]', '["7"]', '[7,"run_a"]'])
    await expect(call({ cursor: cursor(text) })).rejects.toMatchObject({
      data: { issues: [{ pointer: "/params/0/cursor", expected: "the nextCursor of an earlier call" }] },
    });
});
