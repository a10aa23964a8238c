import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ResultColumn } from "@quern/query-run/record";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import type { TaskHandler } from "../../src/processes/serving.ts";
import type { PageAnswer, PageTask } from "../../src/reader/task.ts";
import { inDuckDB, readDatabases } from "../sources/data.ts";

/** Tasks that the workers perform, by their names. */
const handlers: Record<string, TaskHandler> = {};
let directory = "";
vi.mock("../../src/processes/serving.ts", () => ({
  serveParent: (served: Record<string, TaskHandler>) => Object.assign(handlers, served),
}));
vi.mock("../../src/processes/child-directory.ts", () => ({
  get ownDirectory() {
    return directory;
  },
}));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());
await import("../../src/reader/page-worker.ts");
await import("../../src/reader/copy-worker.ts");

const patient = new AbortController().signal;
const perform = async (task: string, argument: unknown, signal = patient): Promise<unknown> =>
  handlers[task]?.(argument, signal, () => {});

beforeAll(async () => {
  directory = await temporaryDirectory();
  const rows = `SELECT range AS c0, repeat('x', 10 * range::INTEGER) AS c1, '{"n": ' || range || '}' AS c2 FROM range(10)`;
  await inDuckDB(":memory:", `COPY (${rows}) TO '${join(directory, "rows.parquet")}' (FORMAT parquet)`);
  await expect(page({})).rejects.toThrow("The engine is not open: call open first.");
  await perform("open", { spillMegabytes: 10 });
});
afterAll(() => rm(directory, { recursive: true }));

const number: ResultColumn = { name: "n", kind: "number", engineType: "BIGINT" };
const text: ResultColumn = { name: "t", kind: "string", engineType: "VARCHAR" };
const json: ResultColumn = { name: "j", kind: "object", engineType: "JSON" };

let results = 0;

/** Returns the task of a page of a result that was not read before. */
function taskOf(change: Partial<PageTask>): PageTask {
  results += 1;
  return {
    result: `run_${results}.1`,
    paths: [join(directory, "rows.parquet")],
    columns: [number],
    rowCount: 10,
    page: { number: 1, size: 3 },
    format: "csv",
    rowIndex: false,
    conditions: [],
    sortKeys: [],
    maxBytes: 1_000,
    ...change,
  };
}

async function page(change: Partial<PageTask>, signal = patient): Promise<unknown> {
  const answer = (await perform("page", taskOf(change), signal)) as PageAnswer;
  if (!("rows" in answer)) return answer;
  return { rows: JSON.parse(Buffer.from(answer.rows).toString()), ...answer.position };
}

it("reads a page with its position", async () => {
  const position = { currentPageNumber: 2, currentPageSize: 3, totalRows: 10, totalPages: 4 };
  expect(await page({ page: { number: 2, size: 3 } })).toEqual({ rows: [[3], [4], [5]], ...position });
});

it("counts the rows that meet the conditions", async () => {
  const conditions = [{ index: 0, operator: "gte", values: [6] }] as const;
  expect(await page({ conditions, page: { number: 2, size: 3 } })).toMatchObject({ rows: [[9]], totalRows: 4 });
});

it("writes columns that the engine cannot write, with those beside them", async () => {
  const columns = [number, text, json].map((column, index) => ({ ...column, name: `c${index}` }));
  expect(await page({ columns, format: "json", page: { number: 2, size: 1 } })).toMatchObject({
    rows: [{ c0: 1, c1: "xxxxxxxxxx", c2: { n: 1 } }],
  });
  const { rows } = Object(await page({ columns, page: { number: 1, size: 10 }, maxBytes: 100_000 }));
  expect(rows).toEqual(Array.from({ length: 10 }, (_, n) => [n, "x".repeat(10 * n), { n }]));
});

it.each([
  ["a page size for a page that is too large", { page: { number: 1, size: 10 }, maxBytes: 30 }, { maxPageSize: 6 }],
  ["one row at least", { page: { number: 1, size: 10 }, maxBytes: 6 }, { maxPageSize: 1 }],
  ["the number of a row that is too large", { page: { number: 2, size: 2 }, maxBytes: 5 }, { rowNumber: 2 }],
] satisfies [string, Partial<PageTask>, unknown][])("returns %s", async (_, change, expected) => {
  expect(await page(change)).toEqual(expected);
});

it("returns the row that is too large by its text, or by the estimate of its size", async () => {
  const columns = [number, text, json];
  // [8,"xx…",{"n": 8}], with 80 times x
  expect(await page({ columns, page: { number: 3, size: 4 }, maxBytes: 98 })).toEqual({ rowNumber: 9 });
  expect(await page({ columns, page: { number: 3, size: 4 }, maxBytes: 97 })).toEqual({ rowNumber: 8 });
  expect(await page({ columns, page: { number: 1, size: 10 }, maxBytes: 99 })).toEqual({ maxPageSize: 2 });
  expect(await page({ columns, page: { number: 3, size: 4 }, maxBytes: 25 })).toEqual({ rowNumber: 8 });
});

it.each([
  ["ValueError", { conditions: [{ index: 0, operator: "eq", values: ["x"] }] }, /^Conversion Error: Could not convert/],
  ["ReadError", { paths: ["/missing.parquet"] }, /^ENOENT[^\n]*missing.parquet'$/],
  ["ValueError", { columns: [number, text, json, number] }, /^Binder Error/],
] satisfies [string, Partial<PageTask>, RegExp][])("fails with a %s: %j", async (name, change, message) => {
  await expect(page(change)).rejects.toMatchObject({
    failure: { name, message: expect.stringMatching(message), data: { category: "INTERNAL" } },
  });
});

it("writes a sorted copy of the rows that meet the conditions", async () => {
  const conditions = [{ index: 0, operator: "gt", values: [6] }] as const;
  const task = taskOf({ conditions, sortKeys: [{ index: 0, descending: true }] });
  await perform("copy", { task, spillMegabytes: 10 });
  expect(await readDatabases([], `FROM read_parquet('${join(directory, "copy.parquet")}')`)).toEqual([
    ["9", "9"],
    ["8", "8"],
    ["7", "7"],
  ]);
});
