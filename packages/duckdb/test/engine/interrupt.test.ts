import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { interruptOnAbort } from "../../src/engine/interrupt.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

it.each(["before", "after"])("interrupts again and again from an abort %s the work begins, until it ends", (when) => {
  const interrupt = vi.fn();
  const caller = new AbortController();
  if (when === "before") caller.abort();
  const end = interruptOnAbort({ interrupt }, caller.signal);
  if (when === "after") {
    vi.advanceTimersByTime(1_000);
    expect(interrupt).not.toHaveBeenCalled();
    caller.abort();
  }
  expect(interrupt).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(60);
  expect(interrupt).toHaveBeenCalledTimes(4);
  end();
  vi.advanceTimersByTime(1_000);
  expect([interrupt.mock.calls.length, vi.getTimerCount()]).toEqual([4, 0]);
});

it("does nothing after the end of the work", () => {
  const interrupt = vi.fn();
  const caller = new AbortController();
  interruptOnAbort({ interrupt }, caller.signal)();
  caller.abort();
  vi.advanceTimersByTime(1_000);
  expect(interrupt).not.toHaveBeenCalled();
});
