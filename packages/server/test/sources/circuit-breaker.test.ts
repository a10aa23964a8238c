import { expect, it } from "vitest";
import { createCircuitBreaker } from "../../src/sources/circuit-breaker.ts";

function breakerAt() {
  const clock = { ms: 0 };
  const breaker = createCircuitBreaker({ maxFailures: 3, withinMs: 1_000, openMs: 100, now: () => clock.ms });
  return { clock, breaker };
}

it("opens after failures in succession, and not after as many with an answer between them", () => {
  const { breaker } = breakerAt();
  expect([breaker.failed(), breaker.failed(), breaker.succeeded()]).toEqual([false, false, false]);
  expect([breaker.failed(), breaker.failed()]).toEqual([false, false]);
  expect(breaker.refusal()).toBeUndefined();
  expect(breaker.failed()).toBe(true);
  expect(breaker.refusal()).toBe(100);
});

it("stays closed if the failures are further apart than its time", () => {
  const { clock, breaker } = breakerAt();
  for (clock.ms = 0; clock.ms < 5_000; clock.ms += 500) expect(breaker.failed()).toBe(false);
});

it("admits one probe after the pause, which opens it again or closes it", () => {
  const { clock, breaker } = breakerAt();
  for (let count = 0; count < 3; count += 1) breaker.failed();
  clock.ms = 99;
  expect(breaker.refusal()).toBe(1);
  clock.ms = 100;
  expect(breaker.refusal()).toBeUndefined();
  expect(breaker.refusal()).toBe(100);
  expect(breaker.failed()).toBe(false);
  expect(breaker.refusal()).toBe(100);
  clock.ms = 200;
  expect(breaker.refusal()).toBeUndefined();
  expect(breaker.succeeded()).toBe(true);
  expect([breaker.refusal(), breaker.refusal()]).toEqual([undefined, undefined]);
});

it("admits another probe after one that was canceled, and after one that never ends", () => {
  const { clock, breaker } = breakerAt();
  for (let count = 0; count < 3; count += 1) breaker.failed();
  clock.ms = 100;
  breaker.refusal();
  breaker.abandoned();
  expect(breaker.refusal()).toBeUndefined();
  expect(breaker.isRefusing).toBe(true);
  clock.ms = 200;
  expect(breaker.refusal()).toBeUndefined();
});
