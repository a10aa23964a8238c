import { describe, expect, it, onTestFinished, vi } from "vitest";
import { resultIterator } from "../../src/result/result-iterator.ts";

describe("an iterator over a result", () => {
  it("returns the items of its steps until a step ends it", async () => {
    let count = 0;
    const items = resultIterator({}, async (_, end) => (count === 2 ? end() : { value: ++count }));
    expect(items[Symbol.asyncIterator]()).toBe(items);
    expect(await Array.fromAsync(items)).toEqual([1, 2]);
    expect(await items.next()).toEqual({ done: true, value: undefined });
    expect(count).toBe(2);
  });

  it("makes no step after it is closed, and aborts the signal of the last", async () => {
    const step = vi.fn(async (_: AbortSignal) => ({ value: 1 }));
    const items = resultIterator({}, step);
    await items.next();
    const signal = step.mock.calls[0]?.[0];
    expect(signal?.aborted).toBe(false);
    expect(await items.return?.()).toEqual({ done: true, value: undefined });
    expect([signal?.aborted, await items.next(), step.mock.calls.length]).toEqual([
      true,
      { done: true, value: undefined },
      1,
    ]);
  });

  it("throws its first error once", async () => {
    const items = resultIterator({}, async (_, end) => end(new Error("no page")));
    await expect(items.next()).rejects.toThrow("no page");
    expect(await items.next()).toEqual({ done: true, value: undefined });
    const closed = resultIterator({}, async (_, end) => {
      end();
      return end(new Error("after the end"));
    });
    expect(await closed.next()).toEqual({ done: true, value: undefined });
  });

  it("starts its deadline with the first step, and ends it", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const signals: AbortSignal[] = [];
    const items = resultIterator({ timeoutMs: 50 }, async (signal) => {
      signals.push(signal);
      return { value: 1 };
    });
    expect(vi.getTimerCount()).toBe(0);
    await items.next();
    await items.next();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(50);
    expect(signals.map(({ aborted, reason }) => [aborted, reason.name])).toEqual(Array(2).fill([true, "TimeoutError"]));
    const ended = resultIterator({ timeoutMs: 50 }, async (_, end) => end());
    await ended.next();
    expect(vi.getTimerCount()).toBe(0);
  });
});
