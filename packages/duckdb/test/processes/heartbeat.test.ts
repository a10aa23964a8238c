import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startHeartbeat } from "../../src/processes/watchdogs.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

it("pings every ten seconds, and reports silence after three unanswered pings", () => {
  const ping = vi.fn();
  const onSilence = vi.fn();
  startHeartbeat(ping, onSilence);
  vi.advanceTimersByTime(9_999);
  expect(ping).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1 + 20_000);
  expect([ping.mock.calls.length, onSilence.mock.calls.length]).toEqual([3, 0]);
  vi.advanceTimersByTime(10_000);
  expect([ping.mock.calls.length, onSilence.mock.calls.length]).toEqual([3, 1]);
  vi.advanceTimersByTime(60_000);
  expect([ping.mock.calls.length, onSilence.mock.calls.length, vi.getTimerCount()]).toEqual([3, 1, 0]);
});

it("counts pings from the last answer", () => {
  const onSilence = vi.fn();
  const heartbeat = startHeartbeat(() => {}, onSilence);
  vi.advanceTimersByTime(30_000);
  heartbeat.answered();
  vi.advanceTimersByTime(30_000);
  expect(onSilence).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10_000);
  expect(onSilence).toHaveBeenCalledOnce();
});

it("sends no ping after it is stopped, and does not keep the process alive", () => {
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
