import { existsSync, readdirSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import type { ResultReader } from "../../dist/reader/reader.js";
// The built package is used, because its processes start faster than from sources.
import { createSharedReader } from "../../dist/reader/shared-reader.js";
import type { PageTask } from "../../src/reader/task.ts";
import { inDuckDB } from "../sources/data.ts";
import { createTestReader } from "./test-reader.ts";

const rowCount = 2_000_000;
let directory: string;
let reader: ResultReader;
beforeAll(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory, "results"));
  const rows = `SELECT range AS c0, md5(range::varchar) AS c1 FROM range(${rowCount})`;
  await inDuckDB(":memory:", `COPY (${rows}) TO '${join(directory, "results", "run_a.1.parquet")}' (FORMAT parquet)`);
  reader = createTestReader(directory);
});
afterAll(async () => {
  await reader.close();
  await rm(directory, { recursive: true });
});

/** Directory of the process. It is emptied when another process starts. */
const own = () => join(directory, `reader-${process.pid}`);
const unfinished = async () => (await readdir(directory)).filter((name) => name.startsWith("sort-"));

function task(change: Partial<PageTask>): PageTask {
  const columns = [
    { name: "n", kind: "number", engineType: "BIGINT" },
    { name: "text", kind: "string", engineType: "VARCHAR" },
  ] as const;
  const form = { format: "csv", rowIndex: false, maxBytes: 1_000_000 } as const;
  const view = { conditions: [], sortKeys: [], page: { number: 2, size: 10 } };
  return {
    result: "run_a.1",
    paths: [join(directory, "results", "run_a.1.parquet")],
    columns,
    rowCount,
    ...view,
    ...form,
    ...change,
  };
}

it("serves other callers when one leaves during a sorted copy, and ends the copy", async () => {
  await reader.page("tenant", task({}), new AbortController().signal); // starts the process of plain pages
  await writeFile(join(own(), "mark"), "");
  const gone = new AbortController();
  const left = reader.page("tenant", task({ sortKeys: [{ index: 1, descending: false }] }), gone.signal);
  await eventually(async () => (await unfinished()).length === 1);
  const other = reader.page("tenant", task({}), new AbortController().signal);
  gone.abort();
  await expect(left).rejects.toThrow();
  expect(await other).toHaveProperty("rows");
  await eventually(async () => (await unfinished()).length === 0);
  expect(existsSync(join(own(), "mark"))).toBe(true);
  expect(await readdir(join(directory, "results"))).toEqual(["run_a.1.parquet"]);
});

it("has no value of a row in the error of a page that cannot be read", async () => {
  const columns = [
    { name: "n", kind: "number", engineType: "BIGINT" },
    { name: "text", kind: "object", engineType: "JSON" },
  ] as const;
  const conditions = [{ index: 1, operator: "like", values: ["a%"] }] as const;
  const page = reader.page("tenant", task({ columns, conditions }), new AbortController().signal);
  await expect(page).rejects.toThrow(/^Invalid Input Error of the engine while it read the page$/);
});

it("removes an unfinished copy when it is closed", async () => {
  const sortKeys = [{ index: 0, descending: true }];
  const page = reader.page("tenant", task({ sortKeys }), new AbortController().signal);
  page.catch(() => {}); // awaited below
  await eventually(async () => (await unfinished()).length === 1);
  await reader.close();
  expect(readdirSync(directory).filter((name) => name.startsWith("sort-"))).toEqual([]);
  await expect(page).rejects.toThrow("The result reader is closed");
});

it("ends the process of plain pages when it has grown and no page comes, and starts another one for the next page", async () => {
  const workDirectory = join(directory, "idle");
  await mkdir(workDirectory);
  const { signal } = new AbortController();
  const folder = join(workDirectory, `reader-${process.pid}`);
  const grown = createSharedReader({ workDirectory, spillMegabytes: 10 }, { idleMs: 20, idleBytes: 1 });
  const first = await grown.page(task({}), signal);
  await eventually(() => !existsSync(folder));
  expect(await grown.page(task({}), signal)).toEqual(first);
  await grown.close();

  const small = createSharedReader({ workDirectory, spillMegabytes: 10 }, { idleMs: 20, idleBytes: 1e12 });
  await small.page(task({}), signal);
  await writeFile(join(folder, "mark"), "");
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await small.page(task({}), signal)).toEqual(first);
  expect(existsSync(join(folder, "mark"))).toBe(true);
  await small.close();
});
