import { StatementError } from "@quern/adapter";
import { resultTooLarge } from "@quern/duckdb";
import { expect, it, vi } from "vitest";
import type { LimitsOf } from "../../src/identity/tenant-limits.ts";
import { createStorageQuota, quotaExceeded } from "../../src/results/storage-quota.ts";

const caps = { maxResultBytes: 100, maxResultRows: 7 };

function quotaOf(maxStoredBytes: number | undefined, stored: number) {
  const storedBytes = vi.fn(async () => stored);
  const limitsOf = vi.fn(async () => ({ maxStoredBytes }));
  const quota = createStorageQuota({ storedBytes }, limitsOf as unknown as LimitsOf);
  return { quota, storedBytes, limitsOf };
}

it("returns the quota of a tenant", async () => {
  const { quota, limitsOf } = quotaOf(50, 0);
  expect([await quota.maxStoredBytes("acme"), limitsOf.mock.calls]).toEqual([50, [["acme"]]]);
});

it.each([
  ["there is no quota", undefined, 1_000, 100],
  ["the quota has space for the largest result", 150, 50, 100],
  ["the quota has less space", 149, 50, 99],
  ["the quota has space for one byte", 51, 50, 1],
])("limits the bytes of a result if %s", async (_, maxStoredBytes, stored, maxResultBytes) => {
  const { quota } = quotaOf(maxStoredBytes, stored);
  const { explain, ...kept } = await quota.capsOf("acme", caps);
  expect(kept).toEqual({ maxResultBytes, maxResultRows: 7 });
  const cause = new Error("another cause");
  expect(explain(cause)).toBe(cause);
});

it.each([50, 51])("refuses a result if nothing fits: %i of 50 bytes are stored", async (stored) => {
  const { quota, storedBytes } = quotaOf(50, stored);
  await expect(quota.capsOf("acme", caps)).rejects.toMatchObject(quotaExceeded(50));
  expect(storedBytes.mock.calls).toEqual([["acme"]]);
});

it("explains only a result that is larger than the space of the quota by the quota", async () => {
  const { explain } = await quotaOf(150, 60).quota.capsOf("acme", caps);
  expect(explain(resultTooLarge("90 bytes"))).toMatchObject({ failure: quotaExceeded(150).failure });
  for (const cause of [resultTooLarge("7 rows"), new Error(resultTooLarge("90 bytes").message)])
    expect(explain(cause)).toBe(cause);
  const unlimited = await quotaOf(160, 60).quota.capsOf("acme", caps);
  const cause = resultTooLarge("100 bytes");
  expect(unlimited.explain(cause)).toBe(cause);
  expect(cause).toBeInstanceOf(StatementError);
});
