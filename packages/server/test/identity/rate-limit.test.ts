import { expect, it, onTestFinished, vi } from "vitest";
import { createTokenBuckets } from "../../src/common/token-buckets.ts";
import { createTenantRates } from "../../src/identity/rate-limit.ts";
import type { TenantLimits } from "../../src/identity/tenant-limits.ts";
import { createTestClock, type TestClock } from "../fixture.ts";

const noLimits: TenantLimits = {
  maxUnfinishedRuns: undefined,
  maxRunningRuns: undefined,
  requestsPerSecond: undefined,
  requestBurst: undefined,
  monthlyExecSeconds: undefined,
  maxStoredBytes: undefined,
};

/** Returns a limit of calls for each key of one tenant, on a store in memory. */
function createLimit(clock: TestClock, rate: Partial<TenantLimits>) {
  const take = createTokenBuckets(clock);
  const limits = { ...noLimits, ...rate };
  const limitOf = createTenantRates(async () => limits, { take: async (key, rate) => take(key, rate) }, clock);
  const limit = (apiKeyId = "key", tenantId = "tenant") => limitOf({ tenantId, apiKeyId });
  return { limit, limits };
}

/** Returns the number of requests that a key may make now, at most 1,000. */
async function allowed(limit: (apiKeyId: string) => Promise<void>, key = "key"): Promise<number> {
  for (let count = 0; ; count += 1) {
    try {
      await limit(key);
    } catch {
      return count;
    }
    if (count > 1_000) return count;
  }
}

it("allows a burst, then its requests a second, for each key", async () => {
  const clock = createTestClock();
  const { limit } = createLimit(clock, { requestsPerSecond: 4, requestBurst: 10 });
  expect(await allowed(limit)).toBe(10);
  clock.advance(250);
  expect(await allowed(limit)).toBe(1);
  expect(await allowed(limit, "another")).toBe(10);
  await limit("key", "another tenant");
});

it("allows a second's requests at once without a burst, and all without a rate", async () => {
  const { limit } = createLimit(createTestClock(), { requestsPerSecond: 2.5 });
  expect(await allowed(limit)).toBe(3);
  const unlimited = createLimit(createTestClock(), {});
  expect(await allowed(unlimited.limit)).toBeGreaterThan(1_000);
});

it("refills the buckets of a tenant whose rate changes", async () => {
  const { limit, limits } = createLimit(createTestClock(), { requestsPerSecond: 1, requestBurst: 2 });
  expect(await allowed(limit)).toBe(2);
  Object.assign(limits, { requestBurst: 3 });
  expect(await allowed(limit)).toBe(3);
});

it("returns the time until the next request is allowed", async () => {
  const clock = createTestClock();
  const { limit } = createLimit(clock, { requestsPerSecond: 0.5, requestBurst: 1 });
  await limit();
  clock.advance(600);
  const refusal = { code: -32029, httpStatus: 429, data: { retryAfterMs: 1_400 }, headers: { "retry-after": "2" } };
  await expect(limit()).rejects.toThrow(expect.objectContaining(refusal));
  clock.advance(1_400);
  expect(await allowed(limit)).toBe(1);
});

it("tells each refused call to retry one token after the one before, for at most a minute", async () => {
  const clock = createTestClock();
  const { limit } = createLimit(clock, { requestsPerSecond: 0.1, requestBurst: 1 });
  const retryMs = (): Promise<unknown> =>
    limit().catch((error: { readonly data: { readonly retryAfterMs: number } }) => error.data.retryAfterMs);
  const reported: unknown[] = [];
  for (let call = 0; call < 9; call += 1) reported.push(await retryMs());
  expect(reported).toEqual([undefined, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 10_000]);
  clock.advance(120_000);
  expect([await retryMs(), await retryMs()]).toEqual([undefined, 10_000]);
});

it("forgets the refused calls of a key when its retries are over", async () => {
  const set = vi.spyOn(Map.prototype, "set");
  onTestFinished(() => set.mockRestore());
  const clock = createTestClock();
  const { limit } = createLimit(clock, { requestsPerSecond: 1, requestBurst: 1 });
  for (let count = 0; count < 100; count += 1) expect(await allowed(limit, `key ${count}`)).toBe(1);
  clock.advance(10_000);
  expect(await allowed(limit, "last")).toBe(1);
  const sizes = [...new Set(set.mock.contexts)].map((map) => (map as Map<string, number>).size);
  expect(Math.max(...sizes)).toBe(1);
});

it("spreads retries over a minute, and no token beyond it", async () => {
  const retriesAt = async (tokenMs: number): Promise<unknown> => {
    const { limit } = createLimit(createTestClock(), { requestsPerSecond: 1_000 / tokenMs, requestBurst: 1 });
    await limit();
    const retryMs = () => limit().catch((error: { readonly data: object }) => Object.values(error.data)[0]);
    return [await retryMs(), await retryMs()];
  };
  expect(await retriesAt(60_000)).toEqual([60_000, 120_000]);
  expect(await retriesAt(60_001)).toEqual([60_001, 60_001]);
});

it("keeps the refused calls of each key in the order of their last one", async () => {
  const set = vi.spyOn(Map.prototype, "set");
  onTestFinished(() => set.mockRestore());
  const clock = createTestClock();
  const { limit } = createLimit(clock, { requestsPerSecond: 1, requestBurst: 1 });
  for (const key of ["a", "b"]) await allowed(limit, key);
  clock.advance(1_500);
  for (const key of ["a", "a"]) await limit(key).catch(() => {});
  clock.advance(600);
  for (const key of ["c", "c"]) await limit(key).catch(() => {});
  const retries = set.mock.calls.findLast(([, value]) => Object.hasOwn(Object(value), "tokenMs"));
  const index = set.mock.calls.indexOf(retries as (typeof set.mock.calls)[number]);
  const map = set.mock.contexts[index] as Map<string, unknown>;
  expect([...map.keys()].map((key) => key.split(" ").at(-1))).toEqual(["a", "c"]);
});
