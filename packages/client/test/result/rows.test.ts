import { afterEach, describe, expect, it, vi } from "vitest";
import type { ResultPage } from "../../src/result/result-pages.ts";
import type { RowSchema } from "../../src/result/row-schema.ts";
import { rowsOf } from "../../src/result/rows.ts";
import type { DeadlineOptions } from "../../src/wire/deadline.ts";

afterEach(() => {
  vi.useRealTimers();
});

const reported = { columnNames: [], columnTypes: [], rowCount: 6 };
const page = (number: number): ResultPage => ({
  ...reported,
  offset: number * 2,
  rows: [{ at: `${number}a` }, { at: `${number}b` }],
  isLast: number === 2,
});

interface Source {
  /** Number of the page that fails. */
  readonly failsAt?: number;
  readonly schema?: RowSchema<object>;
}

/** Iterates over three pages of two rows, and records the state of the pages. */
function reading({ failsAt, schema }: Source = {}, deadline: DeadlineOptions = {}) {
  const seen = { opened: 0, left: 0 };
  async function* pages() {
    seen.opened += 1;
    try {
      for (let number = 0; number < 3; number += 1) {
        await Promise.resolve();
        if (number === failsAt) throw new Error(`no page ${number}`);
        yield page(number);
      }
    } finally {
      seen.left += 1;
    }
  }
  return { rows: rowsOf<object>({ queryRunId: "a", first: page(0), pages }, { schema, ...deadline }), seen };
}

const row = (at: string) => ({ value: { at } });
const over = { done: true, value: undefined } as const;

describe("an iteration over rows", () => {
  it("returns every row once and in order, also for concurrent calls of next()", async () => {
    const { rows } = reading();
    const steps = await Promise.all(Array.from({ length: 8 }, () => rows.next()));
    expect(steps).toEqual([...["0a", "0b", "1a", "1b", "2a", "2b"].map(row), over, over]);
  });

  it("starts its deadline with the first row", async () => {
    vi.useFakeTimers();
    const { rows, seen } = reading({}, { timeoutMs: 60_000 });
    expect(vi.getTimerCount()).toBe(0);
    expect(seen.opened).toBe(0);
    await rows.next();
    expect(vi.getTimerCount()).toBe(1);
    expect(await Array.fromAsync(rows)).toHaveLength(5);
    expect(vi.getTimerCount()).toBe(0);
    expect(seen).toEqual({ opened: 1, left: 1 });
  });

  it("closes its pages when it is closed", async () => {
    const { rows, seen } = reading();
    for await (const _row of rows) break;
    expect(seen).toEqual({ opened: 1, left: 1 });
    expect(await rows.next()).toEqual(over);
  });

  it("reports its error once, and ends concurrent calls of next()", async () => {
    const { rows, seen } = reading({ failsAt: 1 });
    const steps = await Promise.allSettled(Array.from({ length: 4 }, () => rows.next()));
    expect(steps.map((step) => (step.status === "fulfilled" ? step.value : step.reason.message))).toEqual([
      row("0a"),
      row("0b"),
      "no page 1",
      over,
    ]);
    expect(seen.left).toBe(1);
  });

  it("ends with an invalid row", async () => {
    vi.useFakeTimers();
    const validate = async (value: unknown) => {
      if ((value as { at: string }).at === "1b") throw new Error("row 1b"); // The rows of this test.
      return { value: Object(value) };
    };
    const { rows, seen } = reading({ schema: { "~standard": { validate } } }, { timeoutMs: 60_000 });
    await expect(Array.fromAsync(rows)).rejects.toThrow("row 1b");
    expect(vi.getTimerCount()).toBe(0);
    await vi.waitFor(() => expect(seen.left).toBe(1));
  });

  it("reports the number of an invalid row in the whole result", async () => {
    const refused = (value: unknown) => (value as { readonly at: string }).at === "1b"; // A row of `page`.
    const validate: RowSchema<object>["~standard"]["validate"] = (value) =>
      refused(value) ? { issues: [{ message: "not this one", path: ["at"] }] } : { value: Object(value) };
    const { rows } = reading({ schema: { "~standard": { validate } } });
    await expect(Array.fromAsync(rows)).rejects.toMatchObject({
      kind: "protocol",
      message: "row 3: at: not this one",
      data: { row: 3 },
    });
  });

  it("ends at its deadline before the last row", async () => {
    vi.useFakeTimers();
    const { rows, seen } = reading({}, { timeoutMs: 1000 });
    expect(await rows.next()).toEqual(row("0a"));
    vi.advanceTimersByTime(1000);
    await expect(rows.next()).rejects.toMatchObject({ kind: "timeout" });
    expect(await rows.next()).toEqual(over);
    expect(seen.left).toBe(1);
  });

  it("throws at its deadline while a page is fetched", async () => {
    vi.useFakeTimers();
    let finish = (_end: typeof over) => {};
    const pages = () => ({
      next: () => new Promise<typeof over>((resolve) => (finish = resolve)),
      return: async () => {
        finish(over);
        return over;
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    });
    const rows = rowsOf({ queryRunId: "a", first: page(0), pages }, { timeoutMs: 1000 });
    const step = rows.next();
    vi.advanceTimersByTime(1000);
    await expect(step).rejects.toMatchObject({ kind: "timeout", queryRunId: "a" });
    expect(await rows.next()).toEqual(over);
  });

  it("does not change the page", async () => {
    const first = { ...page(0), isLast: true };
    async function* pages() {
      yield first;
    }
    expect(await Array.fromAsync(rowsOf({ queryRunId: "a", first, pages }))).toEqual(page(0).rows);
    expect(first.rows).toEqual(page(0).rows);
  });
});
