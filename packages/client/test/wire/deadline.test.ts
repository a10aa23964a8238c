import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pause, whenStopped, withDeadline } from "../../src/wire/deadline.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Counts the listeners on an event target. */
function counted<Target extends EventTarget>(target: Target) {
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = target;
  target.addEventListener = (...args: Parameters<EventTarget["addEventListener"]>) => {
    listeners.add(args[1]);
    addEventListener.apply(target, args);
  };
  target.removeEventListener = (...args: Parameters<EventTarget["removeEventListener"]>) => {
    listeners.delete(args[1]);
    removeEventListener.apply(target, args);
  };
  return { target, listeners };
}
const longest = 2 ** 31 - 1;

describe("a deadline", () => {
  it("is refused if it is not a number, which would never pass", async () => {
    expect(() => whenStopped({ timeoutMs: Number.NaN }, () => {})).toThrow(TypeError);
    await expect(withDeadline({ timeoutMs: Number.NaN }, async () => 1)).rejects.toThrow(/timeoutMs: .*got NaN/);
  });

  it("stops the work after its time limit, and reports the limit", () => {
    const stop = vi.fn();
    whenStopped({ timeoutMs: 250 }, stop);
    vi.advanceTimersByTime(249);
    expect(stop).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(stop).toHaveBeenCalledWith(
      expect.objectContaining({ name: "TimeoutError", message: "not done within 250 ms" }),
      false,
    );
  });

  it("stops the work when the signal is aborted, and immediately if it is aborted already", () => {
    const caller = new AbortController();
    const stop = vi.fn();
    whenStopped({ signal: caller.signal, timeoutMs: 250 }, stop);
    caller.abort("left");
    expect(stop).toHaveBeenCalledWith("left", true);
    const again = vi.fn();
    const timers = vi.getTimerCount();
    whenStopped({ signal: caller.signal, timeoutMs: 250 }, again);
    expect(again).toHaveBeenCalledWith("left", true);
    expect(vi.getTimerCount()).toBe(timers);
  });

  it("leaves no timer and no listener after its end", () => {
    const { target, listeners } = counted(new AbortController().signal);
    const end = whenStopped({ signal: target, timeoutMs: 250 }, () => {});
    expect([listeners.size, vi.getTimerCount()]).toEqual([1, 1]);
    end();
    expect([listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it("is ignored if it is longer than a timer can be", () => {
    whenStopped({ timeoutMs: longest }, () => {});
    expect(vi.getTimerCount()).toBe(1);
    for (const timeoutMs of [longest + 1, Infinity, undefined]) whenStopped({ timeoutMs }, () => {});
    expect(vi.getTimerCount()).toBe(1);
  });

  it("ends when the work succeeds or fails", async () => {
    expect(await withDeadline({ timeoutMs: 250 }, async ({ aborted }) => aborted)).toBe(false);
    await expect(withDeadline({ timeoutMs: 250 }, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("aborts the signal of the work", async () => {
    const work = withDeadline({ timeoutMs: 250 }, (signal) => new Promise((resolve) => (signal.onabort = resolve)));
    vi.advanceTimersByTime(250);
    expect(await work).toMatchObject({ type: "abort", target: { reason: { name: "TimeoutError" } } });
  });
});

describe("a pause", () => {
  it("lasts for its time, and leaves no timer and no listener", async () => {
    const { target, listeners } = counted(new AbortController().signal);
    const over = vi.fn();
    const paused = pause(500, target).then(over);
    vi.advanceTimersByTime(499);
    await Promise.resolve();
    expect([over.mock.calls.length, listeners.size]).toEqual([0, 1]);
    vi.advanceTimersByTime(1);
    await paused;
    expect([vi.getTimerCount(), listeners.size]).toEqual([0, 0]);
  });

  it("ends early by an abort, and immediately if the signal is aborted already", async () => {
    const caller = new AbortController();
    const paused = pause(Infinity, caller.signal);
    caller.abort();
    await paused;
    expect(vi.getTimerCount()).toBe(0);
    const after = pause(500, caller.signal);
    vi.advanceTimersByTime(0);
    await after;
  });

  it("ends when the browser is online again, and leaves no listener", async () => {
    const { target, listeners } = counted(new EventTarget());
    vi.stubGlobal("addEventListener", target.addEventListener);
    vi.stubGlobal("removeEventListener", target.removeEventListener);
    const paused = pause(500, new AbortController().signal);
    expect(listeners.size).toBe(1);
    target.dispatchEvent(new Event("online"));
    await paused;
    expect([listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
  });
});
