import { setTenant } from "@quern/server/administration";
import { expect, it } from "vitest";
import { createTenantLimits } from "../../src/identity/tenant-limits.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createGate, createTestClock, gatedKind, idleKind, startServer } from "../fixture.ts";
import { caller } from "./callers.ts";

it("are its own settings, else the server's, else the defaults, of which the first tenant has none", async () => {
  const tenants = openSqliteStore(":memory:").tenants;
  const limitsOf = createTenantLimits(tenants, { maxUnfinishedRuns: 7, monthlyExecSeconds: 60 });
  expect(await limitsOf("acme")).toMatchObject({ maxUnfinishedRuns: 7, maxRunningRuns: 5, monthlyExecSeconds: 60 });
  await tenants.set("acme", { maxUnfinishedRuns: 2, maxRunningRuns: null, monthlyExecSeconds: null });
  expect(await limitsOf("acme")).toEqual({ maxUnfinishedRuns: 2 });

  const unset = createTenantLimits(tenants, {});
  expect(await unset("other")).toEqual({ maxUnfinishedRuns: 15, maxRunningRuns: 5 });
  expect(await unset("tenant_first")).toEqual({});
});

it("apply to each limit, with a default quota that the first tenant does not have", async () => {
  const { tenants } = openSqliteStore(":memory:");
  const limits = {
    maxUnfinishedRuns: 1,
    requestsPerSecond: 3,
    requestBurst: 4,
    monthlyExecSeconds: 5,
    maxStoredBytes: 6,
  };
  const limitsOf = createTenantLimits(tenants, { ...limits, maxRunningRunsOfTenant: 2 }, 9);
  for (const tenant of ["acme", "tenant_first"])
    expect(await limitsOf(tenant)).toEqual({ ...limits, maxRunningRuns: 2 });
  await tenants.set("acme", { requestBurst: 7, maxStoredBytes: null });
  expect(await limitsOf("acme")).toEqual({ ...limits, maxRunningRuns: 2, requestBurst: 7, maxStoredBytes: undefined });
  const withQuota = createTenantLimits(tenants, {}, 9);
  expect([(await withQuota("other")).maxStoredBytes, (await withQuota("tenant_first")).maxStoredBytes]).toEqual([
    9,
    undefined,
  ]);
});

it("cap the unfinished runs of a tenant, except the tenant of the first key", async () => {
  const gate = createGate();
  await using server = await startServer({ kind: gatedKind(idleKind, { before: gate }) });
  const { call } = await caller(server, { tenant: "acme", user: "ann" });
  for (let run = 0; run < 15; run += 1)
    expect((await call("createQueryRun", { sql: "select 1" })).error).toBeUndefined();
  const data = { currentlyRunning: 15, maxConcurrentRuns: 15 };
  expect(await call("createQueryRun", { sql: "select 1" })).toMatchObject({
    status: 200,
    error: { code: -32171, data },
  });
  for (let run = 0; run < 16; run += 1) await server.create({ sql: "select 1" });

  await setTenant(server.dataDir, "acme", { maxUnfinishedRuns: 16 });
  expect((await call("createQueryRun", { sql: "select 1" })).error).toBeUndefined();
  expect((await call("createQueryRun", { sql: "select 1" })).error).toMatchObject({ data: { maxConcurrentRuns: 16 } });
});

it("have a rate for each key of a tenant, which changes while the server runs", async () => {
  await using server = await startServer({ clock: createTestClock(), kind: idleKind });
  await setTenant(server.dataDir, "acme", { requestsPerSecond: 1, requestBurst: 2 });
  const { call } = await caller(server, { tenant: "acme", user: "ann" });
  const statuses = async () => [(await call("listQueryRuns")).status, (await call("listQueryRuns")).status];
  expect(await statuses()).toEqual([200, 200]);
  expect(await statuses()).toEqual([429, 429]);
  await setTenant(server.dataDir, "acme", { requestsPerSecond: null });
  expect(await statuses()).toEqual([200, 200]);
});
