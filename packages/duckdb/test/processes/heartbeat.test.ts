import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startHeartbeat } from "../../src/processes/watchdogs.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

it("asks every ten seconds, and takes a process for dead that leaves three questions unanswered", () => {
  const ask = vi.fn();
  const onSilence = vi.fn();
  startHeartbeat(ask, onSilence);
  vi.advanceTimersByTime(9_999);
  expect(ask).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1 + 20_000);
  expect([ask.mock.calls.length, onSilence.mock.calls.length]).toEqual([3, 0]);
  vi.advanceTimersByTime(10_000);
  expect([ask.mock.calls.length, onSilence.mock.calls.length]).toEqual([3, 1]);
  vi.advanceTimersByTime(60_000);
  expect([ask.mock.calls.length, onSilence.mock.calls.length, vi.getTimerCount()]).toEqual([3, 1, 0]);
});

it("counts from the last answer", () => {
  const onSilence = vi.fn();
  const heartbeat = startHeartbeat(() => {}, onSilence);
  vi.advanceTimersByTime(30_000);
  heartbeat.answered();
  vi.advanceTimersByTime(30_000);
  expect(onSilence).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10_000);
  expect(onSilence).toHaveBeenCalledOnce();
});

it("asks no more once it is stopped, and keeps no process alive", () => {
  vi.useRealTimers();
  const set = vi.spyOn(globalThis, "setInterval");
  const clear = vi.spyOn(globalThis, "clearInterval");
  startHeartbeat(
    () => {},
    () => {},
  ).stop();
  const [timer] = set.mock.results.map(({ value }) => value);
  expect(timer.hasRef()).toBe(false);
  expect(clear).toHaveBeenCalledWith(timer);
  vi.restoreAllMocks();
});
