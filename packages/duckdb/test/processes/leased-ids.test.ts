import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { createDownloads } from "../../src/download/downloads.ts";
import { createResultReader } from "../../src/reader/reader.ts";
import { createSortedCopies } from "../../src/reader/sorted-copy.ts";
import type { PageTask } from "../../src/reader/task.ts";
import { createResultWriter } from "../../src/writer/writer.ts";

/** User ids that are all in use. */
const userIds = { lease: () => Promise.reject(new Error("all ids are in use")) };
const signal = AbortSignal.timeout(20_000);

let workDirectory: string;
let result: string;
let opened: { close(): Promise<void> } | undefined;
beforeEach(async () => {
  workDirectory = await temporaryDirectory();
  result = join(workDirectory, "run_a.1.parquet");
  await writeFile(result, "");
});
afterEach(async () => {
  await opened?.close();
  await rm(workDirectory, { recursive: true });
});

const page = (sortKeys: PageTask["sortKeys"] = [], conditions: PageTask["conditions"] = []): PageTask => ({
  result: "run_a.1",
  paths: [result],
  rowCount: 30_000,
  page: { number: 2, size: 10 },
  sortKeys,
  conditions,
  columns: [{ name: "n", kind: "number", engineType: "BIGINT" }],
  format: "csv",
  rowIndex: false,
  maxBytes: 1_000,
});

function readPage(task: PageTask): Promise<unknown> {
  const limits = { spillMegabytes: 10, filteredPageTimeoutSeconds: 10, maxCopyBytes: 1e9, hasSpace: async () => false };
  const reader = createResultReader({ workDirectory, userIds, ...limits });
  opened = reader;
  return reader.page("tenant", task, signal);
}

function writeResult(): Promise<unknown> {
  const writer = createResultWriter({ workDirectory, userIds, spillMegabytes: 10 });
  opened = writer;
  const rows = (async function* () {})();
  return writer.write({ form: "rows", columns: [], rows }, { maxResultBytes: 1e9, maxResultRows: 10 }, signal);
}

function startDownload(): Promise<unknown> {
  const downloads = createDownloads({ workDirectory, userIds, maxDownloads: 3, spillMegabytes: 10 });
  opened = downloads;
  const task = { paths: [result], columns: [], rowCount: 0, totalBytes: 0, format: "csv" } as const;
  return downloads.open("tenant", task);
}

it.each([
  ["plain page", () => readPage(page())],
  ["filtered page", () => readPage(page([], [{ index: 0, operator: "eq", values: [1] }]))],
  ["written result", writeResult],
  ["download", startDownload],
])("the process of a %s has a user id of its own, and does not start without one", async (_, start) => {
  await expect(start()).rejects.toThrow("all ids are in use");
});

it("a sorted copy is written with a user id of its own, and not without one", async () => {
  const write = vi.fn(async () => {});
  const copies = createSortedCopies({ write, workDirectory, copyDirectory: workDirectory, userIds, maxBytes: 1e9 });
  const task = page([{ index: 0, descending: true }]);
  expect(await copies.of(task, true, signal)).toBe(task);
  expect(write).not.toHaveBeenCalled();
});
