import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PageTask } from "@quern/duckdb";
import type { ResultColumn } from "@quern/query-run/record";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { createFirstPages, type FirstPages } from "../../src/runs/first-pages.ts";
import { eventually, temporaryDirectory } from "../fixture.ts";

let directory: string;
let pages: FirstPages;
/** Tasks that were read, each with the bytes of its file. */
let read: (PageTask & { readonly bytes: string })[];
let logged: string[];
/** Fails the next reading in advance. */
let failure: Error | undefined;
beforeEach(async () => {
  [read, logged, failure] = [[], [], undefined];
  directory = await temporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true }));
  const readInAdvance = async (_: string, task: PageTask): Promise<void> => {
    if (failure !== undefined) throw failure;
    read.push({ ...task, bytes: await readFile(task.paths[0] ?? "", "utf8") });
  };
  const log = { info: () => {}, error: (message: string) => void logged.push(message) };
  pages = createFirstPages({ directory, reader: { readInAdvance }, maxPageBytes: 1_000, csvRowIndex: true, log });
});

const columns: readonly ResultColumn[] = [{ name: "n", kind: "number", engineType: "INTEGER" }];

/** Writes a result of a user, and moves its file as the result store does. */
async function write(userId: string, { rowCount = 1, text = "rows" } = {}): Promise<void> {
  const path = join(directory, "written");
  await writeFile(path, text);
  const run = { id: "run_a", attempt: 2, tenantId: "acme", userId };
  pages.written(run, { path, columns, rowCount, release: async () => {} });
  await rename(path, join(directory, "moved"));
  await eventually(async () => (await readdir(directory)).join() === "moved");
}

it("reads a small result as its user has requested pages, although the file is moved meanwhile", async () => {
  pages.requested("acme", "ada", "csv");
  await write("ada");
  pages.requested("acme", "ada", "json");
  await write("ada");
  expect(read).toMatchObject([
    {
      result: "run_a.2",
      columns,
      rowCount: 1,
      page: { number: 1, size: 1_000 },
      format: "csv",
      rowIndex: true,
      conditions: [],
      sortKeys: [],
      maxBytes: 1_000,
      bytes: "rows",
    },
    { format: "json", rowIndex: false },
  ]);
});

it("reads nothing for users who have fetched no page, and no large result", async () => {
  pages.requested("acme", "ada", "json");
  pages.requested("other", "bob", "json");
  await write("bob");
  await write("ada", { rowCount: 1_001 });
  await write("ada", { text: "x".repeat(100_001) });
  expect(read).toEqual([]);
  await write("ada", { rowCount: 1_000, text: "x".repeat(100_000) });
  expect(read).toHaveLength(1);
});

it("remembers the 1,000 users who fetched a page last", async () => {
  pages.requested("acme", "ada", "json");
  pages.requested("acme", "bob", "json");
  for (let index = 0; index < 999; index += 1) pages.requested("acme", `user-${index}`, "json");
  await write("ada");
  expect(read).toEqual([]);
  await write("bob");
  expect(read).toHaveLength(1);
});

it("logs a failure, and leaves no link to the file", async () => {
  pages.requested("acme", "ada", "json");
  failure = new Error("no engine");
  await write("ada");
  await eventually(() => logged.length === 1);
  expect(logged).toEqual(["the result of run run_a could not be read in advance"]);
});

it("reads nothing more once a file cannot be linked, and logs that once", async () => {
  pages.requested("acme", "ada", "json");
  const run = { id: "run_a", attempt: 2, tenantId: "acme", userId: "ada" };
  pages.written(run, { path: directory, columns, rowCount: 1, release: async () => {} });
  await write("ada");
  await write("ada");
  expect(logged).toEqual(["results cannot be read in advance, because files cannot be linked"]);
  expect(read).toEqual([]);
});

it("logs a file that is missing, and reads later ones", async () => {
  pages.requested("acme", "ada", "json");
  const run = { id: "run_a", attempt: 2, tenantId: "acme", userId: "ada" };
  pages.written(run, { path: join(directory, "missing"), columns, rowCount: 1, release: async () => {} });
  expect(logged).toEqual(["the result of run run_a could not be read in advance"]);
  await write("ada");
  expect(read).toHaveLength(1);
});
