import { expect, it } from "vitest";
import { createTokenBuckets } from "../../src/common/token-buckets.ts";
import { createTestClock } from "../fixture.ts";

it("refuses a rate that allows nothing", () => {
  const take = createTokenBuckets(createTestClock());
  for (const requestsPerSecond of [0, -1, Number.NaN])
    expect(() => take("key", { requestsPerSecond, burst: 1 })).toThrow(
      `Invalid requestsPerSecond: expected a number above 0, got ${requestsPerSecond}.`,
    );
  expect(() => take("key", { requestsPerSecond: 1, burst: 0.5 })).toThrow(
    "Invalid burst: expected at least 1, got 0.5.",
  );
});

it("forgets the buckets that were used the longest ago beyond 100,000", () => {
  const rate = { requestsPerSecond: 0.001, burst: 1 };
  const take = createTokenBuckets(createTestClock());
  for (const key of ["first", "second", "first"]) take(key, rate);
  for (let count = 0; count < 99_999; count += 1) take(`key ${count}`, rate);
  expect([take("second", rate) > 0, take("first", rate)]).toEqual([true, 0]);
});

it("gives a burst at once, then a token each time that its rate has refilled one, by key", () => {
  const clock = createTestClock();
  const take = createTokenBuckets(clock);
  const rate = { requestsPerSecond: 4, burst: 2 };
  expect([take("a", rate), take("a", rate), take("a", rate), take("b", rate)]).toEqual([0, 0, 250, 0]);
  clock.advance(249);
  expect(take("a", rate)).toBe(1);
  clock.advance(1);
  expect([take("a", rate), take("a", rate)]).toEqual([0, 250]);
  clock.advance(10_000);
  expect([take("a", rate), take("a", rate), take("a", rate)]).toEqual([0, 0, 250]);
});

it("lacks at most a whole bucket after the clock was set back", () => {
  const clock = createTestClock();
  const take = createTokenBuckets(clock);
  const rate = { requestsPerSecond: 4, burst: 2 };
  take("a", rate);
  clock.advance(-3_600_000);
  expect(take("a", rate)).toBe(250);
  clock.advance(250);
  expect([take("a", rate), take("a", rate)]).toEqual([0, 250]);
});
