import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createReadAhead } from "../../src/reader/read-ahead.ts";
import type { PageAnswer, PageTask } from "../../src/reader/task.ts";

/** Numbers of the pages that were read in advance, and of those that were read when they were requested. */
let early: number[];
let late: number[];
beforeEach(() => {
  early = [];
  late = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const task = (number: number, change: Partial<PageTask> = {}): PageTask => ({
  result: "run_a.1",
  paths: ["a.parquet"],
  columns: [],
  rowCount: 60,
  maxBytes: 1_000,
  page: { number, size: 10 },
  format: "csv",
  rowIndex: false,
  conditions: [],
  sortKeys: [],
  ...change,
});
const answer = ({ result, page }: PageTask): PageAnswer => ({
  position: { currentPageNumber: page.number, currentPageSize: page.size, totalRows: 60, totalPages: 6 },
  rows: Buffer.from(`${result} ${page.number}`),
});
const textOf = (page: PageAnswer) => ("rows" in page ? page.rows.toString() : "");

/** Creates the pages in advance, and returns a function that requests a page and returns its text. */
function requests(readIdle = async (idle: PageTask) => answer(idle), tenantId = "tenant") {
  const ahead = createReadAhead((_, idle) => {
    early.push(idle.page.number);
    return readIdle(idle);
  });
  return async (page: PageTask, tenant = tenantId, signal = new AbortController().signal) => {
    const read = async () => {
      late.push(page.page.number);
      return answer(page);
    };
    return textOf(await ahead.page(tenant, page, read, signal));
  };
}

it("reads the next page in advance from the second page on, up to the last page", async () => {
  const request = requests();
  for (const number of [1, 2, 3, 4, 5, 6]) expect(await request(task(number))).toBe(`run_a.1 ${number}`);
  expect({ early, late }).toEqual({ early: [3, 4, 5, 6], late: [1, 2] });
});

it("reads the rows after those of an offset in advance, up to the last row", async () => {
  const request = requests();
  for (const number of [1, 2, 3, 4, 5, 6])
    await request(task(number, { page: { number, size: 10, offset: number * 10 - 5 } }));
  expect({ early, late }).toEqual({ early: [3, 4, 5, 6], late: [1, 2] });
});

it("gives a page that was read in advance from another file of the same result", async () => {
  const request = requests();
  for (const number of [1, 2, 3, 4]) await request(task(number, { paths: [`rows-of-${number}.parquet`] }));
  expect({ early, late }).toEqual({ early: [3, 4, 5], late: [1, 2] });
});

it("reads the page after one that is read in advance before that one is complete", async () => {
  const request = requests(() => new Promise(() => {}));
  await request(task(1));
  await request(task(2));
  void request(task(3));
  expect({ early, late }).toEqual({ early: [3, 4], late: [1, 2] });
});

it("stops waiting for a page that is read in advance when the caller aborts", async () => {
  const request = requests(() => new Promise(() => {}));
  await request(task(1));
  await request(task(2));
  const caller = new AbortController();
  const page = request(task(3), "tenant", caller.signal);
  caller.abort(new Error("disconnected"));
  await expect(page).rejects.toThrow("disconnected");
  expect(late).toEqual([1, 2]);
});

it.each([
  ["in another order", [5, 4, 3, 1].map((number) => task(number))],
  ["of different sizes", [task(1), task(2, { page: { number: 2, size: 20 } })]],
  ["of different results", [task(1), task(2, { result: "run_b.1" })]],
  ["without rows", [1, 2].map((number) => task(1, { page: { number, size: 0 } }))],
  ["that are sorted", [1, 2].map((number) => task(number, { sortKeys: [{ index: 0, descending: true }] }))],
  [
    "that are filtered",
    [1, 2].map((number) => task(number, { conditions: [{ index: 0, operator: "eq", values: [1] }] })),
  ],
] satisfies [string, PageTask[]][])("reads no page in advance for pages %s", async (_, tasks) => {
  const request = requests();
  for (const each of tasks) await request(each);
  expect({ early, late: late.length }).toEqual({ early: [], late: tasks.length });
});

it("gives a page to one request of its tenant only", async () => {
  const request = requests();
  for (const number of [1, 2]) await request(task(number));
  await request(task(3), "other");
  expect(late).toEqual([1, 2, 3]);
  await request(task(3));
  await request(task(3));
  expect(late).toEqual([1, 2, 3, 3]);
});

it("reads a page again that failed in advance", async () => {
  const request = requests(() => Promise.reject(new Error("the process exited")));
  for (const number of [1, 2, 3]) expect(await request(task(number))).toBe(`run_a.1 ${number}`);
  expect({ early, late }).toEqual({ early: [3, 4], late: [1, 2, 3] });
});

it("holds at most two pages, and forgets them after five seconds", async () => {
  vi.useFakeTimers();
  const request = requests();
  const readTwo = async (result: string) => {
    for (const number of [1, 2]) await request(task(number, { result }));
  };
  for (const result of ["a", "b", "c"]) await readTwo(result);
  expect(early).toEqual([3, 3]);
  vi.advanceTimersByTime(5_000);
  await readTwo("d");
  expect(early).toEqual([3, 3, 3]);
  await request(task(3, { result: "a" }));
  expect(late.filter((number) => number === 3)).toEqual([3]);
});

it("knows the next page of the fifty results that were read last", async () => {
  const request = requests();
  for (let index = 0; index < 51; index += 1) await request(task(1, { result: `run_${index}.1` }));
  await request(task(2, { result: "run_0.1" }));
  expect(early).toEqual([]);
  // The second page of the first result has replaced the second result.
  await request(task(2, { result: "run_1.1" }));
  expect(early).toEqual([]);
  await request(task(2, { result: "run_3.1" }));
  expect(early).toEqual([3]);
});

it("forgets all pages, and their timers, when it is closed", async () => {
  vi.useFakeTimers();
  const timers = vi.spyOn(globalThis, "setTimeout");
  const ahead = createReadAhead(async (_, idle) => answer(idle));
  const read = vi.fn(async () => answer(task(1)));
  const request = (number: number) => ahead.page("tenant", task(number), read, new AbortController().signal);
  for (const number of [1, 2]) await request(number);
  expect([read.mock.calls.length, vi.getTimerCount()]).toEqual([2, 1]);
  expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  ahead.close();
  expect(vi.getTimerCount()).toBe(0);
  await request(3);
  expect([read.mock.calls.length, vi.getTimerCount()]).toEqual([3, 0]);
});
