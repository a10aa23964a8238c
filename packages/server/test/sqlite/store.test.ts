import fs from "node:fs";
import { readdir, readlink, rm } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createTestClock, temporaryDirectory } from "../fixture.ts";

const clock = createTestClock();
let store: Store;
beforeEach(() => {
  store = openSqliteStore(":memory:", { clock });
  return () => store.close();
});

/** Submits a run and executes it to the point at which its result can be committed. Returns its id. */
async function executed(): Promise<string> {
  const { run } = accepted(await store.runs.submit(submission()));
  await store.runs.claim({ owner: "server", ms: 30_000 });
  await store.runs.apply(run.id, { type: "executed", attempt: 1 });
  return run.id;
}

const committed = (totalBytes: number, maxStoredBytes?: number) =>
  ({ type: "committed", attempt: 1, result: { columns: [], rowCount: 0, totalBytes }, maxStoredBytes }) as const;

it("notifies of the end of a run, and not of a later change that keeps its state", async () => {
  const id = await executed();
  const notices: unknown[] = [];
  store.subscribe((notice) => notices.push(notice));
  await store.runs.apply(id, committed(1));
  expect(notices).toEqual([{ runId: id, state: "QUERY_STATE_SUCCESS" }]);
  await store.runs.apply(id, { type: "archived" });
  expect(notices).toHaveLength(1);
});

it("stores results up to the quota of their tenant, and refuses one byte more", async () => {
  const [first, second] = [await executed(), await executed()];
  const records = await store.tenants.storedBytes("tenant");
  expect(await store.runs.apply(first, committed(20, records + 20))).toMatchObject({ accepted: true });
  expect(await store.runs.apply(second, committed(11, records + 30))).toEqual({
    accepted: false,
    refusal: "StorageQuotaExceeded",
  });
  expect(await store.runs.apply(second, committed(10, records + 30))).toMatchObject({ accepted: true });
  expect(await store.tenants.storedBytes("tenant")).toBe(records + 30);
});

it("lists the servers with leases once, in order", async () => {
  await store.leases.take("work", 2, { owner: "server b", ms: 10 });
  await store.leases.take("work", 2, { owner: "server a", ms: 10 });
  await store.runs.submit(submission());
  await store.runs.claim({ owner: "server b", ms: 30_000 });
  expect(await store.servers()).toEqual(["server a", "server b"]);
  clock.advance(30_000);
  expect(await store.servers()).toEqual([]);
});

it.each([
  [500, [500]],
  [501, [500, 1]],
])("reads %i records in batches of 500", async (count, sizes) => {
  await store.records.tenants.write(
    Array.from({ length: count }, (_, n) => ({ id: `tenant ${n}`, createdAt: n, settings: {} })),
  );
  const batches: number[] = [];
  for await (const batch of store.records.tenants.read()) batches.push(batch.length);
  expect(batches).toEqual(sizes);
});

it("reads keys with all of their restrictions, and a replaced one", async () => {
  const key = {
    id: "key_1",
    hash: new Uint8Array([1]),
    lastFour: "abcd",
    origin: "environment" as const,
    tenantId: "tenant",
    userId: "ann",
    scopes: ["read" as const],
    sources: ["a"],
    origins: ["https://example.com"],
    networks: ["10.0.0.0/8"],
    createdAt: 1,
    expiresAt: null,
    revokedAt: 2,
    replaced: true,
    lastUsedAt: null,
  };
  const other = { ...key, id: "key_2", hash: new Uint8Array([2]), sources: null, origins: null, networks: null };
  await store.records.keys.write([key, { ...other, origin: "generated", replaced: false }]);
  const read: unknown[] = [];
  for await (const batch of store.records.keys.read()) read.push(...batch);
  expect(read).toEqual([key, { ...other, origin: "generated", replaced: false }]);
});

// Only Linux lists the open files of a process.
it.runIf(process.platform === "linux")("leaves no file of its directory open when it is closed", async () => {
  const directory = await temporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true }));
  const opened = async () => {
    const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
    return (await Promise.all(links)).filter((link) => link.startsWith(directory)).length;
  };
  const other = openSqliteStore(join(directory, "test.db"), { clock });
  await other.counts();
  expect(await opened()).toBeGreaterThan(2);
  await other.close();
  expect(await opened()).toBe(0);
});

it("closes the database if its log cannot be opened", async () => {
  const directory = await temporaryDirectory();
  const close = vi.spyOn(DatabaseSync.prototype, "close");
  const { openSync } = fs;
  onTestFinished(async () => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
    close.mockRestore();
    await rm(directory, { recursive: true });
  });
  fs.openSync = () => {
    throw new Error("too many open files");
  };
  syncBuiltinESMExports();
  expect(() => openSqliteStore(join(directory, "test.db"))).toThrow("too many open files");
  expect(close).toHaveBeenCalledTimes(1);
});
