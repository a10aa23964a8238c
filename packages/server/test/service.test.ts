import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import type { ServerOptions } from "../src/configuration/options.ts";
import { diskBytes } from "../src/disk/disk-space.ts";
import { createResultStore } from "../src/results/result-store.ts";
import { openService } from "../src/service.ts";
import { openSqliteStore } from "../src/sqlite/store.ts";
import { createTestClock, idleKind, openFilesIn, temporaryDirectory } from "./fixture.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryDirectory();
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const log = { error: () => {} };
const sources = [{ name: "test", provider: "quern" }];

function open(options: Partial<ServerOptions> = {}) {
  return openService({ dataDir, sources, sourceKinds: { duckdb: idleKind }, ...options }, log);
}

it("has settings off by default, a key on a new store, and a quota of half the disk", async () => {
  const service = await open();
  expect(service.firstKey).toMatch(/^qk_/);
  expect(service).toMatchObject({ publicUrl: undefined, csvRowIndex: false, singleUseLinks: false });
  const half = Math.floor((await diskBytes(dataDir)) / 2);
  expect((await service.limitsOf("acme")).maxStoredBytes).toBe(half);
  expect(service.systems.names).toEqual(["store", "results"]);
  expect(await service.systems.missing()).toEqual([]);
  const text = await service.telemetry.metrics.text("text");
  expect(text).toContain("\nquern_leader 1\n");
  expect(text).toContain(`\nquern_disk_limit_ratio ${service.limits.maxDiskShare}\n`);
  await service.close();
  expect(await openFilesIn(dataDir)).toEqual([]);
  const next = await open();
  expect(next.firstKey).toBeUndefined();
  await next.close();
});

it("takes its settings, and has no quota for results that are elsewhere", async () => {
  const results = await createResultStore(join(dataDir, "elsewhere"));
  const clock = createTestClock();
  const settings = { csvRowIndex: true, singleUseLinks: true, clock, apiKey: "configured" };
  const service = await open({ ...settings, results, publicUrl: "https://a.example/quern//" });
  expect(service).toMatchObject({ csvRowIndex: true, singleUseLinks: true, clock, firstKey: undefined });
  expect(service.publicUrl).toBe("https://a.example/quern");
  expect((await service.limitsOf("acme")).maxStoredBytes).toBeUndefined();
  expect(await service.keys.all()).toMatchObject([{ origin: "environment" }]);
  await service.close();
});

it("closes its parts in the reverse order of their opening, also if it cannot be opened", async () => {
  const order: string[] = [];
  const kind = { ...idleKind, close: async () => void order.push("kind") };
  const inner = openSqliteStore(":memory:");
  const close = vi.fn(async () => void order.push("store"));
  const results = { ...(await createResultStore(join(dataDir, "elsewhere"))) };
  results.close = async () => void order.push("results");
  const options = { sourceKinds: { duckdb: kind }, store: { ...inner, close }, results };
  const service = await open(options);
  await service.close();
  expect(order.splice(0)).toEqual(["results", "store", "kind"]);
  await expect(open({ ...options, apiKey: "" })).rejects.toThrow("Invalid apiKey: it is empty");
  expect(order.splice(0)).toEqual(["store", "kind"]);
  await expect(
    open({ ...options, sources: [{ ...sources[0], name: "a", provider: "b", kind: "none" }] }),
  ).rejects.toThrow("Unknown kind of the data source a: none");
  expect(order).toEqual(["kind"]);
  await expect(open({ processUids: "none" })).rejects.toThrow("none");
  expect(await openFilesIn(dataDir)).toEqual([]);
  await inner.close();
});

it("logs another configured key of a shared store by its id", async () => {
  const logged: string[] = [];
  const inner = openSqliteStore(":memory:");
  const store = { ...inner, isShared: true, close: async () => {} };
  const results = await createResultStore(join(dataDir, "elsewhere"));
  const start = (apiKey: string) =>
    openService(
      { dataDir, sources, sourceKinds: { duckdb: idleKind }, store, results, apiKey, storeCacheSeconds: 0 },
      { error: (message, error) => void logged.push(`${message}: ${error}`) },
    );
  const first = await start("one");
  await first.close();
  const [known] = await inner.keys.all();
  const second = await start("two");
  await second.close();
  const keyLines = logged.filter((line) => line.startsWith("another configured key is valid, too"));
  expect(keyLines).toEqual([expect.stringContaining(`if it is no longer needed: quern keys revoke ${known?.id}`)]);
  await inner.close();
});

it("stops its timers and adds the last usage when it is closed", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const inner = openSqliteStore(":memory:");
  const store = { ...inner, isShared: true, close: async () => {} };
  const results = await createResultStore(join(dataDir, "elsewhere"));
  const service = await open({ store, results });
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  service.telemetry.usage.read({ tenantId: "acme", userId: "ann" }, 7);
  await service.close();
  expect(vi.getTimerCount()).toBe(0);
  expect(await inner.usage.all()).toMatchObject([{ tenantId: "acme", userId: "ann", bytesRead: 7 }]);
  await inner.close();
});

it("does not start if orphaned files cannot be removed, except on a shared store, which may have many", async () => {
  const logged: string[] = [];
  const log = { error: (message: string, error: unknown) => void logged.push(`${message}: ${error}`) };
  const sweep = () => Promise.reject(new Error("no bucket"));
  const results = { ...(await createResultStore(join(dataDir, "elsewhere"))), sweep };
  const start = (store?: ServerOptions["store"]) =>
    openService({ dataDir, sources, sourceKinds: { duckdb: idleKind }, results, store }, log);
  await expect(start()).rejects.toThrow("no bucket");
  const inner = openSqliteStore(":memory:");
  const service = await start({ ...inner, isShared: true, close: async () => {} });
  await service.close();
  expect(logged.filter((line) => line.startsWith("orphaned"))).toEqual([
    "orphaned files could not be removed: Error: no bucket",
  ]);
  await inner.close();
});

it("caches the keys of a shared store for five seconds, and limits inspections on all servers", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const inner = openSqliteStore(":memory:");
  const byHash = vi.fn(async () => ({ id: "any" }) as never);
  const take = vi.fn(inner.leases.take);
  const store = { ...inner, isShared: true, keys: { ...inner.keys, byHash }, leases: { ...inner.leases, take } };
  const results = await createResultStore(join(dataDir, "elsewhere"));
  const limits = { maxRunningRuns: 3, describeTimeoutSeconds: 7 };
  const service = await open({ store, results, limits });
  const read = () => service.keys.byHash(new Uint8Array(32));
  for (const ms of [0, 4_999, 1]) {
    vi.advanceTimersByTime(ms);
    await read();
  }
  expect(byHash).toHaveBeenCalledTimes(2);
  take.mockClear();
  const leave = await service.inspections.acquire("acme", { name: "none" }, new AbortController().signal);
  expect(take.mock.calls).toEqual([["inspections acme", 3, { owner: expect.any(String), ms: 7_000 }]]);
  leave();
  await service.close();
});
