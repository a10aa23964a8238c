import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createSmallResults, type SmallResults } from "../../src/reader/small-results.ts";
import type { PageAnswer, PageTask } from "../../src/reader/task.ts";

let small: SmallResults;
/** Names of the results that were read, in order. */
let read: string[];
beforeEach(() => {
  small = createSmallResults();
  read = [];
});

const patient = new AbortController().signal;

function task(change: Partial<PageTask> = {}): PageTask {
  return {
    result: "run_a.1",
    paths: ["a.parquet"],
    columns: [],
    rowCount: 10,
    maxBytes: 1_000_000,
    page: { number: 1, size: 10 },
    format: "csv",
    rowIndex: false,
    conditions: [],
    sortKeys: [],
    ...change,
  };
}

const answerOf = ({ page, result }: PageTask, bytes = 10): PageAnswer => ({
  position: { currentPageNumber: page.number, currentPageSize: page.size, totalRows: 10, totalPages: 1 },
  rows: Buffer.from(result.padEnd(bytes)),
});

function request(page: PageTask, bytes?: number, signal = patient): Promise<PageAnswer> {
  const readPage = async () => {
    read.push(page.result);
    return answerOf(page, bytes);
  };
  return small.page(page, readPage, signal);
}

it("reads the rows of a result once, whatever size the pages with all rows have", async () => {
  await request(task());
  expect(await request(task({ page: { number: 1, size: 1_000 } }))).toEqual({
    position: { currentPageNumber: 1, currentPageSize: 1_000, totalRows: 10, totalPages: 1 },
    rows: Buffer.from("run_a.1   "),
  });
  expect(read).toEqual(["run_a.1"]);
});

it.each<[string, Partial<PageTask>]>([
  ["another format", { format: "json" }],
  ["row numbers", { rowIndex: true }],
  ["another result", { result: "run_a.2" }],
  ["a part of the rows", { page: { number: 1, size: 9 } }],
  ["the second page", { page: { number: 2, size: 10 } }],
  ["a filter", { conditions: [{ operator: "eq", index: 0, values: [1] }] }],
  ["an order", { sortKeys: [{ index: 0, descending: true }] }],
  ["less room than the rows need", { maxBytes: 5 }],
])("reads a page with %s", async (_, change) => {
  await request(task());
  await request(task(change));
  expect(read).toHaveLength(2);
});

it("keeps no result of more than 250,000 bytes, and no page that is too large", async () => {
  await request(task(), 250_001);
  await small.page(task(), async () => ({ maxPageSize: 3 }), patient);
  await request(task());
  expect(read).toHaveLength(2);
});

it("forgets the results that were used least recently above 8 MB", async () => {
  const name = (index: number) => task({ result: `run_${index}.1` });
  for (let index = 0; index < 31; index += 1) await request(name(index), 250_000);
  await request(name(0));
  await request(name(31), 250_000);
  expect(read).toHaveLength(32);
  await request(name(0));
  expect(read).toHaveLength(32);
  await request(name(1));
  expect(read).toHaveLength(33);
});

it("answers with rows that are read in advance, also while they are being read", async () => {
  let arrive = (): void => {};
  const arriving = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const kept = small.keep(task(), () => arriving.then(() => answerOf(task())));
  const page = request(task());
  arrive();
  expect(await page).toHaveProperty("rows", Buffer.from("run_a.1   "));
  await kept;
  await request(task());
  expect(read).toEqual([]);
});

it("reads a page whose reading in advance fails, is refused, or lasts longer than its caller waits", async () => {
  await small.keep(task(), async () => Promise.reject(new Error("no engine")));
  await small.keep(task(), () => undefined);
  await request(task());
  expect(read).toEqual(["run_a.1"]);
  void small.keep(task({ result: "run_b.1" }), () => new Promise(() => {}));
  const gone = AbortSignal.abort(new Error("the client disconnected"));
  await expect(request(task({ result: "run_b.1" }), 10, gone)).rejects.toThrow("the client disconnected");
});

it("keeps the bytes of the rows only, and not the message that has them", async () => {
  const message = Buffer.alloc(1_000_000);
  const position = { currentPageNumber: 1, currentPageSize: 10, totalRows: 10, totalPages: 1 };
  await small.page(task(), async () => ({ position, rows: message.subarray(0, 10) }), patient);
  const page = await request(task());
  expect("rows" in page && page.rows.length).toBe(10);
  expect("rows" in page && page.rows.buffer).not.toBe(message.buffer);
});

it("forgets rows that nobody has used for ten seconds", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const name = (index: number) => task({ result: `run_${index}.1` });
  await request(name(0));
  await request(name(1));
  vi.advanceTimersByTime(9_000);
  await request(name(1));
  vi.advanceTimersByTime(1_000);
  await request(name(2));
  await request(name(1));
  expect(read).toEqual(["run_0.1", "run_1.1", "run_2.1"]);
  await request(name(0));
  expect(read).toHaveLength(4);
});

it("counts the bytes of the rows and 500 bytes for each result, up to exactly 8 MB", async () => {
  const name = (index: number) => task({ result: `run_${index}.1` });
  const isKept = async (index: number) => {
    const before = read.length;
    await request(name(index));
    return read.length === before;
  };
  for (let index = 0; index < 31; index += 1) await request(name(index), 250_000);
  await request(name(31), 234_000);
  expect(await isKept(0)).toBe(true); // now the last one used
  await request(name(32), 8);
  expect(await isKept(2)).toBe(true);
  await request(name(33), 250_500 - 508 - 500);
  expect(await isKept(3)).toBe(true);
  await request(name(34), 8);
  expect([await isKept(5), await isKept(4)]).toEqual([true, false]);
  await request(name(35), 248_475);
  await request(name(36), 8); // one byte too many
  expect([await isKept(7), await isKept(6)]).toEqual([true, false]);
});

it("forgets rows no sooner than after ten seconds, and reads them in advance once at a time", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  await request(task());
  vi.advanceTimersByTime(9_999);
  await request(task({ result: "run_b.1" }));
  await request(task());
  expect(read).toEqual(["run_a.1", "run_b.1"]);
  const idle = vi.fn(async () => answerOf(task()));
  await Promise.all([small.keep(task(), idle), small.keep(task(), idle)]);
  expect(idle).toHaveBeenCalledOnce();
  await small.keep(task(), idle);
  expect(idle).toHaveBeenCalledTimes(2);
});
