import { expect, it, vi } from "vitest";
import { deadlineAfter, systemClock } from "../../src/common/clock.ts";

it.each([
  [1, 1_000],
  [0.0015, 2],
  [1.001, 1_001],
  [2_147_483, 2_147_483_000],
  // A longer timer would fire at once.
  [3_000_000, 2_147_483_000],
  [5_000_000, 2_147_483_000],
])("ends %d seconds from now at the latest, in a timer's whole milliseconds", (seconds, ms) => {
  const timer = vi.spyOn(AbortSignal, "timeout");
  expect(deadlineAfter(seconds).aborted).toBe(false);
  expect(timer).toHaveBeenLastCalledWith(ms);
  timer.mockRestore();
});

it("has the time of the machine", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_234 });
  expect(systemClock.now()).toBe(1_234);
  vi.useRealTimers();
});
