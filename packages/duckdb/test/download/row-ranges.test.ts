import type { DuckDBConnection } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { rowRanges } from "../../src/download/row-ranges.ts";
import type { LocatedDownload } from "../../src/download/task.ts";

type Range = readonly [from: number, to: number];

/** Connection with streams that have all rows of their queries, or fewer, and the rows of each query. */
function scripted(missingRows = 0) {
  const queries: [path: string, ...Range][] = [];
  const connection = {
    async stream(sql: string) {
      const [, path = "", from, to] = /'(\w+)'.*\n.*>= (\d+) AND file_row_number < (\d+)$/.exec(sql) ?? [];
      queries.push([path, Number(from), Number(to)]);
      return chunksBetween(Number(from), Number(to) - missingRows);
    },
  };
  return { queries, connection: connection as unknown as DuckDBConnection };
}

async function* chunksBetween(from: number, to: number) {
  for (let at = from; at < to; at += 2_048) {
    await new Promise(setImmediate);
    const rows: Range = [at, Math.min(at + 2_048, to)];
    yield { rows, rowCount: rows[1] - rows[0], reset: () => {} };
  }
}

/** Task of a result that has as many rows in each file. */
const task = (fileRows: readonly number[], totalBytes: number): LocatedDownload => {
  const starts = fileRows.map((_, index) => fileRows.slice(0, index).reduce((sum, rows) => sum + rows, 0));
  return {
    paths: starts.map((_, index) => `f${index}`),
    files: starts.map((firstRow, index) => ({ path: `f${index}`, firstRow })),
    columns: [],
    target: "pipe",
    format: "csv",
    rowCount: fileRows.reduce((sum, rows) => sum + rows, 0),
    totalBytes,
    spillMegabytes: 10,
  };
};

async function read(connection: DuckDBConnection, task: LocatedDownload, textBytes?: () => number) {
  const ranges = await Array.fromAsync(rowRanges(connection, task, ["c0"], textBytes));
  return ranges.map((chunks) => (chunks as unknown as { rows: Range }[]).map(({ rows }) => rows));
}

it("reads each file with one query, in ranges of 20,480 rows and the rest of a chunk", async () => {
  const { queries, connection } = scripted();
  const ranges = await read(connection, task([30_000, 0, 15_000], 0));
  expect(queries).toEqual([
    ["f0", 0, 30_000],
    ["f2", 0, 15_000],
  ]);
  const counts = ranges.map((chunks) => chunks.reduce((rows, [from, to]) => rows + to - from, 0));
  expect(counts).toEqual([20_480, 21_808, 2_712]);
});

it.each([
  ["4 MB of the file", 10, 16_000_000, [0, 2, 4, 6, 8, 10]],
  ["whole rows", 3, 6_000_000, [0, 2, 3]],
  ["one row at least", 2, 100_000_000, [0, 1, 2]],
  ["no rows of an empty result", 0, 100, [0]],
])("reads ranges of %s", async (_, rowCount, totalBytes, borders) => {
  const { queries, connection } = scripted();
  const expected = borders.slice(1).map((to, index): Range => [borders[index] ?? 0, to]);
  expect(await read(connection, task([rowCount], totalBytes))).toEqual(expected.map((rows) => [rows]));
  expect(queries).toEqual(expected.map((rows) => ["f0", ...rows]));
});

it("ends a range after a chunk with which its texts have 32 MB", async () => {
  const { connection } = scripted();
  const ranges = await read(connection, task([10_000], 0), () => 16_000_000);
  expect(ranges.map((chunks) => chunks.length)).toEqual([2, 2, 1]);
});

it("refuses a query without all of its rows", async () => {
  const { connection } = scripted(1);
  await expect(read(connection, task([5], 8_000_000))).rejects.toThrow(
    "Incomplete result: 1 of the rows 0 to 1 were read, counted from 0.",
  );
});

it("reads one range ahead, and no more once its caller stops", async () => {
  const { queries, connection } = scripted();
  for await (const _ of rowRanges(connection, task([10], 16_000_000), ["c0"])) break;
  await new Promise(setImmediate);
  expect(queries).toEqual([
    ["f0", 0, 2],
    ["f0", 2, 4],
  ]);
});
