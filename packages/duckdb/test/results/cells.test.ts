import { DuckDBInstance } from "@duckdb/node-api";
import type { Cells } from "@quern/query-run/record";
import { expect, it } from "vitest";
import { canBeCells, cellBytes, cellsOf, cellText, checkedCells } from "../../src/results/cells.ts";

it.each<[string, unknown]>([
  ["no rows", undefined],
  ["a text", "[[]]"],
  ["fewer rows", [["1", "2"]]],
  [
    "a row more",
    [
      ["1", "2"],
      ["1", "2"],
      ["1", "2"],
    ],
  ],
  ["a short row", [["1", "2"], ["1"]]],
  [
    "a long row",
    [
      ["1", "2"],
      ["1", "2", "3"],
    ],
  ],
  ["a row that is an object", [["1", "2"], { 0: "1", 1: "2", length: 2 }]],
  [
    "a value that is no text",
    [
      ["1", "2"],
      ["1", 2],
    ],
  ],
  [
    "a text that is no JSON",
    [
      ["1", "2"],
      ["1", "NaN"],
    ],
  ],
  [
    "several values in one text",
    [
      ["1", "2"],
      ["1", '2],["3"'],
    ],
  ],
  [
    "an empty text",
    [
      ["1", "2"],
      ["1", ""],
    ],
  ],
  [
    "an object",
    [
      ["1", "2"],
      ["1", '{"a":1}'],
    ],
  ],
  [
    "an array",
    [
      ["1", "2"],
      ["1", "[1]"],
    ],
  ],
  [
    "more bytes",
    [
      ["1", "2"],
      ["1", '"long"'],
    ],
  ],
])("refuses %s from a process that ran SQL of a caller", (_, cells) => {
  expect(() => checkedCells(cells as Cells, 2, 2, 8)).toThrow("A process has returned invalid values of a result.");
});

it("accepts the texts of single values", () => {
  const cells = [
    ["null", '"é"'],
    ["-0.0", "true"],
  ];
  expect(checkedCells(cells, 2, 2, cellBytes(cells))).toBe(cells);
  expect([cellBytes(cells), cells.flat().map(cellText)]).toEqual([16, [null, "é", "-0.0", "true"]]);
});

it("ends at the value that is too large", async () => {
  const connection = await (await DuckDBInstance.create()).connect();
  const result = await connection.run("SELECT range AS n, 'x' AS x FROM range(10) ORDER BY n");
  const chunks = await result.fetchAllChunks();
  const cells = cellsOf(chunks, result.columnTypes(), 40);
  expect([cells?.length, cells?.[9]]).toEqual([10, ["9", '"x"']]);
  expect(cellsOf(chunks, result.columnTypes(), 39)).toBeUndefined();
  const { types } = { types: (await connection.run("SELECT '[1]'::JSON, [1], 'a'::ENUM('a')")).columnTypes() };
  expect(types.map((type) => canBeCells([type]))).toEqual([false, false, false]);
  connection.closeSync();
});
