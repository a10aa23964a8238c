import { describe, expect, it } from "vitest";
import { createRateLimit, type RateLimit } from "../../src/identity/rate-limit.ts";
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
