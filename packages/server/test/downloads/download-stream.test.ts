import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchReader } from "../../src/downloads/download-stream.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ["takes nothing", [0]],
  ["takes a little", [900_000]],
  ["takes a little after a good beginning", [5_000_000, 5_900_000]],
])("a reader who %s is too slow", (_, taken) => {
  let bytes = 0;
  const onSlow = vi.fn();
  watchReader({ writableNeedDrain: true }, () => bytes, onSlow);
  for (const each of taken) {
    expect(onSlow).not.toHaveBeenCalled();
    bytes = each;
    vi.advanceTimersByTime(60_000);
  }
  vi.advanceTimersByTime(600_000);
  expect(onSlow).toHaveBeenCalledOnce();
});

it.each([
  ["takes enough", true, 1_000_000],
  ["waits for more", false, 0],
])("a reader who %s is not", (_, writableNeedDrain, aMinute) => {
  let bytes = 0;
  const onSlow = vi.fn();
  const stop = watchReader({ writableNeedDrain }, () => bytes, onSlow);
  for (let minute = 0; minute < 5; minute += 1) {
    bytes += aMinute;
    vi.advanceTimersByTime(60_000);
  }
  stop();
  vi.advanceTimersByTime(600_000);
  expect(onSlow).not.toHaveBeenCalled();
});

it.each([
  ["reads less than a megabyte in a minute", true, 999_999, 1],
  ["reads a megabyte in a minute", true, 1_000_000, 0],
  ["waits for the download", false, 0, 0],
])("disconnects a client that %s: %s, %i bytes", (_, writableNeedDrain, bytes, slow) => {
  let read = 500;
  const onSlow = vi.fn();
  const stop = watchReader({ writableNeedDrain }, () => read, onSlow);
  read += bytes;
  vi.advanceTimersByTime(59_999);
  expect(onSlow).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect([onSlow.mock.calls.length, vi.getTimerCount()]).toEqual([slow, 1 - slow]);
  read += 999_999; // of the next minute
  vi.advanceTimersByTime(60_000);
  expect(onSlow).toHaveBeenCalledTimes(writableNeedDrain ? 1 : 0);
  stop();
  expect(vi.getTimerCount()).toBe(0);
});
