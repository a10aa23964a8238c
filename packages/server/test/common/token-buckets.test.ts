import { expect, it } from "vitest";
import { createTokenBuckets } from "../../src/common/token-buckets.ts";
import { createTestClock } from "../fixture.ts";

it("refuses a rate that allows nothing", () => {
  const take = createTokenBuckets(createTestClock());
  for (const requestsPerSecond of [0, -1, Number.NaN])
    expect(() => take("key", { requestsPerSecond, burst: 1 })).toThrow("above 0");
  expect(() => take("key", { requestsPerSecond: 1, burst: 0.5 })).toThrow("Invalid burst");
});

it("forgets the buckets that were used the longest ago beyond 100,000", () => {
  const rate = { requestsPerSecond: 0.001, burst: 1 };
  const take = createTokenBuckets(createTestClock());
  for (const key of ["first", "second", "first"]) take(key, rate);
  for (let count = 0; count < 99_999; count += 1) take(`key ${count}`, rate);
  expect([take("second", rate) > 0, take("first", rate)]).toEqual([true, 0]);
});
