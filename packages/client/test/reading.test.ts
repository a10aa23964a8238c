import { afterEach, describe, expect, it, vi } from "vitest";
import type { DeadlineOptions } from "../src/deadline.ts";
import { readingOf } from "../src/reading.ts";
import type { ResultPage } from "../src/result-pages.ts";

afterEach(() => {
  vi.useRealTimers();
});

interface Source {
  /** Fails in place of the page with this number. */
  readonly failsAt?: number;
  readonly give?: (item: unknown, number: number) => unknown;
}

/** Reads three pages of two rows, and tells what became of the source. */
function reading({ failsAt, give = (item) => item }: Source = {}, deadline: DeadlineOptions = {}) {
  const seen: { opened: number; signal?: AbortSignal } = { opened: 0 };
  const open = (signal: AbortSignal) => {
    seen.opened += 1;
    seen.signal = signal;
    let page = -1;
    return async (): Promise<ResultPage | undefined> => {
      page += 1;
      await Promise.resolve();
      signal.throwIfAborted();
      if (page === failsAt) throw new Error(`no page ${page}`);
      return page < 3 ? { offset: page * 2, rows: [`${page}a`, `${page}b`], isLast: page === 2 } : undefined;
    };
  };
  return { rows: readingOf(open, ({ rows }) => rows, give, deadline), seen };
}

describe("a reading", () => {
  it("gives every item once and in order, also where several are asked for at once", async () => {
    const { rows } = reading();
    const steps = await Promise.all(Array.from({ length: 8 }, () => rows.next()));
    expect(steps.map(({ value }) => value)).toEqual(["0a", "0b", "1a", "1b", "2a", "2b", undefined, undefined]);
    expect(steps.map(({ done = false }) => done)).toEqual([...Array(6).fill(false), true, true]);
  });

  it("begins with its first item, and has no timer before", async () => {
    vi.useFakeTimers();
    const { rows, seen } = reading({}, { timeoutMs: 60_000 });
    expect(vi.getTimerCount()).toBe(0);
    expect(seen.opened).toBe(0);
    await rows.next();
    expect(vi.getTimerCount()).toBe(1);
    expect(await Array.fromAsync(rows)).toHaveLength(5);
    expect(vi.getTimerCount()).toBe(0);
    expect(seen.opened).toBe(1);
  });

  it("ends its source when it is left", async () => {
    const { rows, seen } = reading();
    for await (const _row of rows) break;
    expect(seen.signal?.aborted).toBe(true);
    expect(await rows.next()).toEqual({ done: true, value: undefined });
  });

  it("tells once what ended it, and what was asked for beside is over", async () => {
    const { rows, seen } = reading({ failsAt: 1 });
    const steps = await Promise.allSettled(Array.from({ length: 4 }, () => rows.next()));
    expect(steps.map((step) => (step.status === "fulfilled" ? step.value : step.reason.message))).toEqual([
      { value: "0a" },
      { value: "0b" },
      "no page 1",
      { done: true, value: undefined },
    ]);
    expect(seen.signal?.aborted).toBe(true);
  });

  it("ends with an item that is refused", async () => {
    vi.useFakeTimers();
    const give = async (item: unknown, number: number) => {
      if (number === 3) throw new Error(`row ${number}`);
      return item;
    };
    const { rows, seen } = reading({ give }, { timeoutMs: 60_000 });
    await expect(Array.fromAsync(rows)).rejects.toThrow("row 3");
    expect(seen.signal?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends at its deadline, with items left", async () => {
    vi.useFakeTimers();
    const { rows, seen } = reading({}, { timeoutMs: 1000 });
    expect(await rows.next()).toEqual({ value: "0a" });
    vi.advanceTimersByTime(1000);
    await expect(rows.next()).rejects.toMatchObject({ kind: "timeout" });
    expect(seen.signal?.reason).toMatchObject({ kind: "timeout" });
    expect(await rows.next()).toEqual({ done: true, value: undefined });
  });

  it("leaves the page as it was", async () => {
    const page: ResultPage = { offset: 0, rows: [{ n: 1 }, { n: 2 }], isLast: true };
    const pages = [page];
    const rows = readingOf(
      () => async () => pages.shift(),
      (given) => given.rows,
      (row) => row,
    );
    expect(await Array.fromAsync(rows)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(page.rows).toEqual([{ n: 1 }, { n: 2 }]);
  });
});
