import { submission } from "@quern/adapter/contract";
import { createRun } from "@quern/query-run/record";
import { listUsage, setTenant } from "@quern/server/administration";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createUsageMeter } from "../../src/telemetry/usage-meter.ts";
import { createTestClock, eventually, startServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

/** Each statement takes 30 seconds of the test clock. */
async function slowServer() {
  const clock = createTestClock(Date.UTC(2026, 10, 30, 23));
  const inner = await oneProcessKind();
  const server = await startServer({
    clock,
    kind: {
      ...inner,
      async begin(statement, signal) {
        const execution = await inner.begin(statement, signal);
        const result = async () => {
          const delivered = await execution.result();
          clock.advance(30_000);
          return delivered;
        };
        return { ...execution, result };
      },
    },
  });
  return { server, clock };
}

describe("usage", () => {
  it("counts execution and reads of each user and month, in the data directory", async () => {
    const { server } = await slowServer();
    await using _ = server;
    const ann = await caller(server, { tenant: "acme", user: "ann" });
    const bob = await caller(server, { tenant: "acme", user: "bob" });
    const sql = "select * from range(7)";
    const { result } = await ann.call("createQueryRun", { sql, waitSeconds: 20 });
    await bob.call("createQueryRun", { sql, waitSeconds: 20, maxAgeMinutes: 60 });
    const { queryRun } = result as { queryRun: { id: string } };
    await bob.call("getQueryRunResults", { queryRunId: queryRun.id });
    await bob.call("createQueryRun", { sql: "nonsense", waitSeconds: 20 });
    await eventually(async () => (await listUsage(server.dataDir))[1]?.runs === 1);

    const month = { tenantId: "acme", month: "2026-11" };
    expect(await listUsage(server.dataDir, "2026-11")).toEqual([
      { ...month, userId: "ann", execMs: 30_000, runs: 1, rows: 7, bytesRead: 0 },
      { ...month, userId: "bob", execMs: 0, runs: 1, rows: 0, bytesRead: expect.any(Number) },
    ]);
    expect((await listUsage(server.dataDir))[1]?.bytesRead).toBeGreaterThan(100);
    expect(await listUsage(server.dataDir, "2026-10")).toEqual([]);
  });

  it("is nothing for a run that was canceled before it began", async () => {
    const store = openSqliteStore(":memory:").usage;
    const clock = createTestClock();
    const meter = createUsageMeter(store, clock, { error: () => {} });
    const run = createRun(submission().run, clock.now());
    meter.ran({ ...run, state: "QUERY_STATE_CANCELED", endedAt: clock.now() + 2_000 });
    await meter.close();
    expect(await store.all()).toEqual([]);
  });

  it("keeps no process alive", async () => {
    const set = vi.spyOn(globalThis, "setInterval");
    onTestFinished(() => set.mockRestore());
    const store = openSqliteStore(":memory:").usage;
    const meter = createUsageMeter(store, createTestClock(), { error: () => {} });
    expect(set.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
    await meter.close();
  });

  it("of the last second is kept when the server stops", async () => {
    const { server } = await slowServer();
    await server.run("select 1");
    await server.stop();
    expect(await listUsage(server.dataDir)).toMatchObject([{ runs: 1, execMs: 30_000, rows: 1 }]);
    await server[Symbol.asyncDispose]();
  });

  it("is added to the stored usage, and stored on close", async () => {
    const store = openSqliteStore(":memory:").usage;
    const meter = createUsageMeter(store, createTestClock(), { error: () => {} });
    const user = { tenantId: "t", userId: "u" };
    meter.read(user, 5);
    await meter.flush();
    meter.read(user, 6);
    meter.read(user, 7);
    await meter.close();
    expect(await store.all()).toMatchObject([{ ...user, bytesRead: 18, runs: 0 }]);
  });
});

describe("usage that cannot be kept", () => {
  it("is logged, counts for the budget, and is stored with the next flush", async () => {
    const inner = openSqliteStore(":memory:").usage;
    let isFull = true;
    let adds = 0;
    const add: typeof inner.add = async (more) => {
      adds += 1;
      if (isFull) throw new Error("the disk is full");
      await inner.add(more);
    };
    const logged: string[] = [];
    const clock = createTestClock();
    const meter = createUsageMeter({ ...inner, add }, clock, { error: (message) => void logged.push(message) });
    const user = { tenantId: "t", userId: "u" };
    const run = createRun({ ...submission().run, ...user }, clock.now());
    meter.read(user, 5);
    await expect(meter.flush()).rejects.toThrow("full");
    meter.read(user, 6);
    meter.ran({ ...run, startedAt: clock.now(), endedAt: clock.now() + 2_000 });
    expect(await meter.spent(user, 3)).toBeUndefined();
    expect(await meter.spent(user, 2)).toMatchObject({ budget: 2, used: 2 });
    expect(adds).toBe(1); // reading the spent budget writes nothing
    const flushing = meter.flush();
    expect(await meter.spent(user, 2)).toMatchObject({ used: 2 });
    await expect(flushing).rejects.toThrow("full");
    isFull = false;
    await meter.flush();
    expect(await inner.all()).toMatchObject([{ ...user, bytesRead: 11, runs: 1, execMs: 2_000 }]);
    isFull = true;
    meter.read(user, 1);
    await meter.close();
    expect(logged).toEqual(["usage could not be written to the store"]);
  });
});

describe("a budget", () => {
  it("refuses new runs once it is used up, until the next month, and leaves results to be reused", async () => {
    const { server, clock } = await slowServer();
    await using _ = server;
    await setTenant(server.dataDir, "acme", { monthlyExecSeconds: 60 });
    const ann = await caller(server, { tenant: "acme", user: "ann" });
    const bob = await caller(server, { tenant: "acme", user: "bob" });
    const run = ({ call }: typeof ann, sql: string) =>
      call("createQueryRun", { sql, waitSeconds: 20, maxAgeMinutes: 60 });
    expect((await run(ann, "select 1")).error).toBeUndefined();
    expect((await run(ann, "select 2")).error).toBeUndefined();

    const data = { budget: 60, used: 60, resetsAt: "2026-12-01T00:00:00.000Z" };
    expect(await run(ann, "select 3")).toMatchObject({ status: 200, error: { code: -32175, data } });
    expect((await run(ann, "select 1")).result).toMatchObject({ queryRequest: { triggeredQueryRun: false } });
    expect((await run(bob, "select 3")).error).toBeUndefined();
    clock.advance(3_600_000);
    expect((await run(ann, "select 4")).error).toBeUndefined();
  });
});
