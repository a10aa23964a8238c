import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createRateLimit, createTokenBuckets, type RateLimit } from "../../src/identity/rate-limit.ts";
import { createTestClock } from "../fixture.ts";

/** Returns the number of requests that a key may make now. */
function allowed(limit: RateLimit, key = "key"): number {
  for (let count = 0; ; count += 1) {
    try {
      limit(key);
    } catch {
      return count;
    }
  }
}

describe("a rate", () => {
  it("allows a burst, then its requests a second, for each key", () => {
    const clock = createTestClock();
    const limit = createRateLimit({ requestsPerSecond: 4, burst: 10 }, clock);
    expect(allowed(limit)).toBe(10);
    clock.advance(249);
    expect(allowed(limit)).toBe(0);
    clock.advance(1);
    expect(allowed(limit)).toBe(1);
    expect(allowed(limit, "another")).toBe(10);
    clock.advance(60_000);
    expect(allowed(limit)).toBe(10);
  });

  it("returns the time until the next request is allowed", () => {
    const clock = createTestClock();
    const limit = createRateLimit({ requestsPerSecond: 0.5, burst: 1 }, clock);
    limit("key");
    clock.advance(600);
    const refusal = { code: -32029, httpStatus: 429, data: { retryAfterMs: 1_400 }, headers: { "retry-after": "2" } };
    expect(() => limit("key")).toThrow(expect.objectContaining(refusal));
    clock.advance(1_400);
    expect(allowed(limit)).toBe(1);
  });

  it("tells each refused call to retry one token after the one before, for at most a minute", () => {
    const clock = createTestClock();
    const limit = createRateLimit({ requestsPerSecond: 0.1, burst: 1 }, clock);
    const retryMs = (): unknown => {
      try {
        return limit("key");
      } catch (error) {
        return (error as { readonly data: { readonly retryAfterMs: number } }).data.retryAfterMs;
      }
    };
    expect(Array.from({ length: 9 }, retryMs)).toEqual([
      undefined,
      ...[10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000],
      10_000,
    ]);
    clock.advance(120_000);
    expect([retryMs(), retryMs()]).toEqual([undefined, 10_000]);
  });

  it("refills at most one bucket when the clock is set back", () => {
    const clock = createTestClock();
    const limit = createRateLimit({ requestsPerSecond: 1, burst: 2 }, clock);
    expect(allowed(limit)).toBe(2);
    clock.advance(-3_600_000);
    expect(() => limit("key")).toThrow(expect.objectContaining({ data: { retryAfterMs: 1_000 } }));
  });

  it("refuses a rate that allows nothing", () => {
    for (const rate of [0, -1, Number.NaN]) {
      expect(() => createRateLimit({ requestsPerSecond: rate, burst: 1 }, createTestClock())).toThrow("above 0");
    }
  });
});

it("forgets the buckets that were used the longest ago beyond 100,000", () => {
  const take = createTokenBuckets({ requestsPerSecond: 0.001, burst: 1 }, createTestClock());
  for (const key of ["first", "second", "first"]) take(key);
  for (let count = 0; count < 99_999; count += 1) take(`key ${count}`);
  expect([take("second") > 0, take("first")]).toEqual([true, 0]);
});

it("forgets the refused calls of a key when its retries are over", () => {
  const set = vi.spyOn(Map.prototype, "set");
  onTestFinished(() => set.mockRestore());
  const clock = createTestClock();
  const limit = createRateLimit({ requestsPerSecond: 1, burst: 1 }, clock);
  for (let count = 0; count < 100; count += 1) expect(allowed(limit, `key ${count}`)).toBe(1);
  clock.advance(10_000);
  expect(allowed(limit, "last")).toBe(1);
  const sizes = [...new Set(set.mock.contexts)].map((map) => (map as Map<string, number>).size);
  expect(Math.max(...sizes)).toBe(1);
});
