import type { DuckDBConnection } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { rowRanges } from "../../src/download/row-ranges.ts";
import type { LocatedDownload } from "../../src/download/task.ts";

/** Connection whose reads have all rows that they ask for, or fewer, and the ranges that were read. */
function scripted(missingRows = 0) {
  const ranges: (readonly [from: number, to: number])[] = [];
  const connection = {
    async runAndReadAll(sql: string) {
      const [, from, to] = /file_row_number >= (\d+) AND file_row_number < (\d+)$/.exec(sql) ?? [];
      ranges.push([Number(from), Number(to)]);
      return { currentRowCount: Number(to) - Number(from) - missingRows, getColumns: () => [[Number(from)]] };
    },
  };
  return { ranges, connection: connection as unknown as DuckDBConnection };
}

const task = (rowCount: number, totalBytes: number): LocatedDownload => ({
  paths: ["a"],
  files: [{ path: "a", firstRow: 0 }],
  columns: [],
  target: "pipe",
  format: "csv",
  rowCount,
  totalBytes,
  spillMegabytes: 10,
});

it.each([
  [
    "20,000 rows at most",
    40_001,
    0,
    [
      [0, 20_000],
      [20_000, 40_000],
      [40_000, 40_001],
    ],
  ],
  [
    "4 MB of the file",
    10,
    16_000_000,
    [
      [0, 2],
      [2, 4],
      [4, 6],
      [6, 8],
      [8, 10],
    ],
  ],
  [
    "whole rows",
    3,
    6_000_000,
    [
      [0, 2],
      [2, 3],
    ],
  ],
  [
    "one row at least",
    2,
    100_000_000,
    [
      [0, 1],
      [1, 2],
    ],
  ],
  ["no rows of an empty result", 0, 100, []],
])("reads ranges of %s", async (_, rowCount, totalBytes, expected) => {
  const { ranges, connection } = scripted();
  const yielded = await Array.fromAsync(rowRanges(connection, task(rowCount, totalBytes), ["c0"]));
  expect(ranges).toEqual(expected);
  expect(yielded).toEqual(expected.map(([from]) => [[from]]));
});

it("refuses a range without all of its rows", async () => {
  const { connection } = scripted(1);
  const read = Array.fromAsync(rowRanges(connection, task(5, 8_000_000), ["c0"]));
  await expect(read).rejects.toThrow("Incomplete result: 1 of the rows 0 to 1 were read, counted from 0.");
});
