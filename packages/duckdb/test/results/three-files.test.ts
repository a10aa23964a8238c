import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DownloadFormat } from "@quern/query-run/download-format";
import type { ResultColumn } from "@quern/query-run/record";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
// The built package is used, because its processes start faster than from sources.
import { createDownloads, type Downloads } from "../../dist/download/downloads.js";
import { createResultReader, type ResultReader } from "../../dist/reader/reader.js";
import type { PageTask } from "../../src/reader/task.ts";
import { resultFiles } from "../../src/results/result-files.ts";
import { bytesOf } from "../download/bytes-of.ts";
import { serviceUserIds } from "../processes/machine.ts";
import { inDuckDB, readDatabases } from "../sources/data.ts";

const rowsOfFiles = [15_000, 1, 14_999];
const rowCount = 30_000;
const numbers = Array.from({ length: rowCount }, (_, number) => number);
/** Columns that the engine writes as text itself. */
const plain: readonly ResultColumn[] = [
  { name: "n", kind: "number", engineType: "BIGINT" },
  { name: "tens", kind: "number", engineType: "BIGINT" },
];
const columns: readonly ResultColumn[] = [...plain, { name: "list", kind: "array", engineType: "BIGINT[]" }];

/** Time limit of tests that start processes and read all rows, which is slow on a loaded machine. */
const patience = 120_000;

let directory: string;
let paths: string[];
let reader: ResultReader;
let downloads: Downloads;
beforeAll(async () => {
  directory = await temporaryDirectory();
  paths = rowsOfFiles.map((_, index) => join(directory, `part-${index}.parquet`));
  for (const [index, count] of rowsOfFiles.entries()) {
    const first = rowsOfFiles.slice(0, index).reduce((sum, rows) => sum + rows, 0);
    const rows = `SELECT range + ${first} AS c0, (range + ${first}) // 10 AS c1, [range + ${first}] AS c2 FROM range(${count})`;
    await inDuckDB(":memory:", `COPY (${rows}) TO '${paths[index]}' (FORMAT parquet, ROW_GROUP_SIZE 4096)`);
  }
  const options = { workDirectory: join(directory, "work"), spillMegabytes: 100, userIds: await serviceUserIds() };
  await mkdir(options.workDirectory);
  reader = createResultReader({
    ...options,
    filteredPageTimeoutSeconds: 60,
    maxCopyBytes: 1e9,
    hasSpace: async () => true,
  });
  downloads = createDownloads({ ...options, maxDownloads: 3 });
});
afterAll(async () => {
  await Promise.all([reader.close(), downloads.close()]);
  await rm(directory, { recursive: true });
});

type View = Partial<Pick<PageTask, "page" | "conditions" | "sortKeys">>;

/** Reads a page with the row numbers in the result. */
async function page(view: View): Promise<{ page: { totalRows: number }; rows: readonly (readonly number[])[] }> {
  const all = { page: { number: 1, size: 700 }, conditions: [], sortKeys: [] };
  const form = { format: "csv", rowIndex: true, maxBytes: 10_000_000 } as const;
  const task: PageTask = { result: "run_a.1", paths, columns: plain, rowCount, ...form, ...all, ...view };
  const answer = await reader.page("tenant", task, AbortSignal.timeout(60_000));
  if (!("rows" in answer)) throw new Error("the page is too large");
  return { page: answer.position, rows: JSON.parse(Buffer.from(answer.rows).toString()) };
}

const rowOf = (number: number) => [number, Math.floor(number / 10), number];

describe("pages of a result of three files", () => {
  it.each([
    [22, 700, 14_700],
    [15_001, 1, 15_000],
    [43, 700, 29_400],
  ])("have the rows of the whole result: page %i of %i rows", async (number, size, first) => {
    const { rows } = await page({ page: { number, size } });
    expect(rows).toEqual(numbers.slice(first, first + size).map(rowOf));
  });

  it("are filtered over all files, and rows keep their numbers", async () => {
    const values = [14_999, 15_000, 15_001, 29_999];
    const found = await page({ conditions: [{ index: 0, operator: "in", values }] });
    expect(found.rows).toEqual(values.map(rowOf));
    expect(found.page.totalRows).toBe(4);
  });

  it("are sorted over all files, the first without a copy and the others from one", { timeout: patience }, async () => {
    const sortKeys = [{ index: 1, descending: true }];
    const expected = numbers.toSorted((a, b) => Math.floor(b / 10) - Math.floor(a / 10) || a - b).map(rowOf);
    for (const number of [1, 22, 43]) {
      const { rows } = await page({ sortKeys, page: { number, size: 700 } });
      expect(rows).toEqual(expected.slice((number - 1) * 700, number * 700));
    }
    expect(await readdir(join(directory, "work", "copies", "run_a.1"))).toHaveLength(1);
  });
});

async function downloaded(format: DownloadFormat, of = plain, rows = rowCount): Promise<Buffer> {
  const download = await downloads.open("tenant", {
    paths,
    columns: of,
    rowCount: rows,
    totalBytes: 1_000_000,
    format,
  });
  if (download === undefined) throw new Error("too many downloads are under way");
  try {
    return await bytesOf(download);
  } finally {
    await download.end();
  }
}

describe("downloads of a result of three files", { timeout: patience }, () => {
  it("as CSV have all rows in their order, written by the engine or by the writers of pages", async () => {
    const lines = (bytes: Buffer) => String(bytes).trimEnd().split("\n").slice(1);
    expect(lines(await downloaded("csv"))).toEqual(numbers.map((n) => `${n},${Math.floor(n / 10)}`));
    expect(lines(await downloaded("csv", columns))).toEqual(numbers.map((n) => `${n},${Math.floor(n / 10)},[${n}]`));
  });

  it("as Parquet have all rows in their order", async () => {
    const path = join(directory, "downloaded.parquet");
    await writeFile(path, await downloaded("parquet"));
    const rows = await readDatabases(
      [],
      `SELECT n::INTEGER, file_row_number::INTEGER FROM read_parquet('${path}', file_row_number = true)`,
    );
    expect(rows).toEqual(numbers.map((number) => [number, number]));
  });

  it("as Arrow have all rows in their order", async () => {
    const table = tableFromIPC(await downloaded("arrow"));
    expect([...(table.getChild("n") ?? [])].map(Number)).toEqual(numbers);
  });

  it("fail if the files do not have all rows of the result", async () => {
    await expect(downloaded("csv", plain, rowCount + 1)).rejects.toThrow(
      "Incomplete result: its files have 30000 of 30001 rows.",
    );
  });
});

it("returns the first row of each file, also after an empty file, and refuses a result without files", async () => {
  const empty = join(directory, "empty.parquet");
  await inDuckDB(":memory:", `COPY (SELECT 1 AS c0 WHERE false) TO '${empty}' (FORMAT parquet)`);
  const [first = "", second = ""] = paths;
  expect(resultFiles([first, empty, second])).toEqual([
    { path: first, firstRow: 0 },
    { path: empty, firstRow: 15_000 },
    { path: second, firstRow: 15_000 },
  ]);
  expect(() => resultFiles([])).toThrow("The result has no file.");
});
