import type { Store } from "@quern/adapter";
import { expect, it, onTestFinished, vi } from "vitest";
import { hashApiKey, keyRecordOf } from "../../src/identity/api-key.ts";
import { cacheCallerRecords } from "../../src/identity/record-cache.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";

/** Returns the cached records of a store with one key, and the number of reads of keys. */
async function createBench(change: Partial<Store> = {}, maxAgeMs = 5_000) {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const store = { ...openSqliteStore(":memory:"), isShared: true, ...change };
  const rights = { scopes: ["run"], sources: null, origins: null, networks: null, expiresAt: null } as const;
  const record = { ...keyRecordOf("a key", "issued"), tenantId: "acme", userId: "ann", ...rights };
  const byHash = vi.spyOn(store.keys, "byHash");
  const { keys, tenants } = cacheCallerRecords(store, maxAgeMs);
  const state = async () => (await keys.byHash(hashApiKey("a key")))?.state;
  return { store, record, byHash, tenants, state };
}

it("finds a new key at once, and a revocation within its time", async () => {
  const { store, record, byHash, state } = await createBench();
  expect([await state(), await state()]).toEqual([undefined, undefined]);
  expect(byHash).toHaveBeenCalledTimes(2);
  await store.keys.add(record);
  expect(await state()).toBe("active");
  await store.keys.revoke(record.id);
  vi.advanceTimersByTime(4_999);
  expect(await state()).toBe("active");
  expect(byHash).toHaveBeenCalledTimes(3);
  vi.advanceTimersByTime(1);
  expect(await state()).toBe("revoked");
});

it("reads a record once for concurrent calls, and again after a failure", async () => {
  const { store, record, byHash, state } = await createBench();
  await store.keys.add(record);
  byHash.mockRejectedValueOnce(new Error("away"));
  await expect(Promise.all([state(), state()])).rejects.toThrow("away");
  expect(await Promise.all([state(), state(), state()])).toEqual(["active", "active", "active"]);
  expect(byHash).toHaveBeenCalledTimes(2);
});

it("applies new limits of a tenant within its time", async () => {
  const { store, tenants } = await createBench();
  await store.tenants.set("acme", { maxRunningRuns: 1 });
  const limit = async () => (await tenants.tenant("acme"))?.settings.maxRunningRuns;
  expect(await limit()).toBe(1);
  await store.tenants.set("acme", { maxRunningRuns: 2 });
  expect(await limit()).toBe(1);
  vi.advanceTimersByTime(5_000);
  expect(await limit()).toBe(2);
});

it.each([
  ["the embedded store", { isShared: false }, 5_000],
  ["a time of 0", {}, 0],
])("reads each record at each call for %s", async (_, change, maxAgeMs) => {
  const { store, record, state } = await createBench(change, maxAgeMs);
  await store.keys.add(record);
  expect(await state()).toBe("active");
  await store.keys.revoke(record.id);
  expect(await state()).toBe("revoked");
});

it("forgets the records that were read the longest ago beyond 10,000", async () => {
  const { store, byHash } = await createBench();
  const found = await store.keys.byHash(new Uint8Array(1));
  expect(found).toBeUndefined();
  const record = { id: "any" };
  byHash.mockImplementation(async () => record as never);
  const { keys } = cacheCallerRecords(store, 5_000);
  const read = (number: number) => keys.byHash(new TextEncoder().encode(String(number)));
  for (let number = 0; number <= 10_000; number += 1) await read(number);
  const calls = byHash.mock.calls.length;
  await read(10_000);
  await read(1);
  expect(byHash).toHaveBeenCalledTimes(calls);
  await read(0);
  expect(byHash).toHaveBeenCalledTimes(calls + 1);
});

it("takes a record that was read again for a recent one", async () => {
  const { store, byHash } = await createBench();
  byHash.mockImplementation(async () => ({ id: "any" }) as never);
  const { keys } = cacheCallerRecords(store, 5_000);
  const read = (number: number) => keys.byHash(new TextEncoder().encode(String(number)));
  for (let number = 0; number < 10_000; number += 1) await read(number);
  vi.advanceTimersByTime(5_000);
  await read(0);
  await read(10_000);
  const calls = byHash.mock.calls.length;
  await read(0);
  expect(byHash).toHaveBeenCalledTimes(calls);
});

it("keeps a record that was read after a read that fails later", async () => {
  const { byHash, state, store, record } = await createBench();
  await store.keys.add(record);
  const { promise, reject } = Promise.withResolvers<undefined>();
  byHash.mockReturnValueOnce(promise);
  const slow = state();
  vi.advanceTimersByTime(5_000);
  expect(await state()).toBe("active");
  reject(new Error("away"));
  await expect(slow).rejects.toThrow("away");
  expect(await state()).toBe("active");
  expect(byHash).toHaveBeenCalledTimes(2);
});
