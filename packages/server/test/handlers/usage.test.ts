import type { GetLimitsResult, GetUsageResult } from "@quern/protocol/types";
import { setTenant } from "@quern/server/administration";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { createTestClock, eventually, startServer, type TestServer } from "../fixture.ts";
import { type Caller, caller } from "../identity/callers.ts";

const clock = createTestClock();
let server: TestServer;
let admin: Caller;
beforeAll(async () => {
  server = await startServer({
    clock,
    kind: await oneProcessKind(),
    limits: { maxBatch: 7, maxRunningRunsOfTenant: 1 },
  });
  await setTenant({ dataDir: server.dataDir }, "acme", { maxStoredBytes: 5_000_000, monthlyExecSeconds: 60 });
  admin = await caller(server, { tenant: "acme", user: "boss", scopes: ["tenant:admin"] });
});
afterAll(() => server[Symbol.asyncDispose]());

async function resultOf<T>({ call }: Caller, method: string, params = {}): Promise<T> {
  const { result, error } = await call(method, params);
  if (result === undefined) throw new Error(`refused: ${JSON.stringify(error)}`);
  return result as T; // the result of the method
}

it("returns the runs, the usage and the stored bytes of the tenant, by user", async () => {
  const none = await resultOf<GetUsageResult>(admin, "getUsage");
  expect(none).toEqual({
    month: "2026-11",
    resetsAt: "2026-12-01T00:00:00.000Z",
    runningRuns: 0,
    queuedRuns: 0,
    storedBytes: 0,
    maxStoredBytes: 5_000_000,
    execSeconds: 0,
    monthlyExecSeconds: 60,
    runs: 0,
    rows: 0,
    bytesRead: 0,
    users: [],
    usersLeftOut: 0,
  });
  const [ann, bob] = await Promise.all(["ann", "bob"].map((user) => caller(server, { tenant: "acme", user })));
  for (const [user, sql] of [
    [ann, "select range as n from range(10)"],
    [ann, "select 1 as n"],
    [bob, "select 2 as n"],
  ] as const)
    if (user !== undefined) await resultOf(user, "createQueryRun", { sql, waitSeconds: 20 });
  await server.run("select 'of another tenant' as n");
  await eventually(async () => (await resultOf<GetUsageResult>(admin, "getUsage")).runs === 3);
  const usage = await resultOf<GetUsageResult>(admin, "getUsage");
  expect(usage).toMatchObject({ runs: 3, rows: 12, runningRuns: 0, queuedRuns: 0, usersLeftOut: 0 });
  expect(usage.storedBytes).toBeGreaterThan(0);
  const byName = usage.users.toSorted((a, b) => (a.userId < b.userId ? -1 : 1));
  expect(byName).toMatchObject([
    { userId: "ann", runs: 2, rows: 11, runningRuns: 0, queuedRuns: 0 },
    { userId: "bob", runs: 1, rows: 1 },
  ]);
  const one = await resultOf<GetUsageResult>(admin, "getUsage", { limit: 1 });
  expect([one.users.length, one.usersLeftOut, one.runs]).toEqual([1, 1, 3]);
});

it("returns the limits in effect, and whose they are", async () => {
  const { limits } = await resultOf<GetLimitsResult>(admin, "getLimits");
  const found = new Map(limits.map(({ name, value, unit, origin }) => [name, { value, unit, origin }]));
  expect(Object.fromEntries(found)).toMatchObject({
    maxStoredBytes: { value: 5_000_000, unit: "bytes", origin: "tenant" },
    monthlyExecSeconds: { value: 60, unit: "seconds", origin: "tenant" },
    maxBatch: { value: 7, unit: "calls", origin: "service" },
    maxRunningRunsOfTenant: { value: 1, unit: "runs", origin: "service" },
    maxUnfinishedRuns: { value: 15, unit: "runs", origin: "default" },
    maxResultRows: { value: null, unit: "rows", origin: "default" },
    statementTimeoutSeconds: { value: 1_200, unit: "seconds", origin: "default" },
  });
  await setTenant({ dataDir: server.dataDir }, "acme", { maxUnfinishedRuns: null });
  const later = await resultOf<GetLimitsResult>(admin, "getLimits");
  const unfinished = later.limits.find(({ name }) => name === "maxUnfinishedRuns");
  expect(unfinished).toMatchObject({ value: null, origin: "tenant" });
});
