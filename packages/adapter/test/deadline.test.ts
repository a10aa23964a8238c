import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startDeadline } from "../src/deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  [1_000, 1_000],
  [1.5, 2],
  [2_147_483_647, 2_147_483_647],
  // A longer timer would fire at once.
  [3_000_000_000, 2_147_483_647],
])("a deadline of %d ms is over after %d ms", (ms, over) => {
  const { signal } = startDeadline(ms);
  vi.advanceTimersByTime(over - 1);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ name: "TimeoutError", message: "The time limit of the call is over." });
});

it("a deadline that has ended leaves no timer, and is never over", () => {
  const { signal, end } = startDeadline(1_000);
  expect(vi.getTimerCount()).toBe(1);
  end();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(2_000);
  expect(signal.aborted).toBe(false);
});

it("a deadline does not keep the process alive", () => {
  vi.useRealTimers();
  const timer = vi.spyOn(globalThis, "setTimeout");
  startDeadline(1_000).end();
  expect(timer.mock.results[0]?.value.hasRef()).toBe(false);
  timer.mockRestore();
});
