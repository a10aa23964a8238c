import { DuckDBInstance, DuckDBVarCharType } from "@duckdb/node-api";
import type { Cells, ResultColumn } from "@quern/query-run/record";
import { expect, it } from "vitest";
import { canBeCells, cellsOf } from "../../src/results/cells.ts";
import { cellBytes, cellText, checkedCells } from "../../src/results/checked-cells.ts";

const columns: readonly ResultColumn[] = [
  { name: "id", kind: "number", engineType: "BIGINT" },
  { name: "toString", kind: "string", engineType: "varchar(5)", storedType: "VARCHAR" },
];

it.each<[string, unknown]>([
  ["no rows", undefined],
  ["a text", "[[]]"],
  ["rows that are holes", new Array(3)],
  ["300 million holes", new Array(300_000_000)],
  ["values that are holes", [new Array(2)]],
  ["a short row", [["1", "2"], ["1"]]],
  ["a long row", [["1", "2", "3"]]],
  ["a row that is an object", [{ 0: "1", 1: "2", length: 2 }]],
  ["a value that is no text", [["1", 2]]],
  ["a text that is no JSON", [["1", "NaN"]]],
  ["several values in one text", [["1", '2],["3"']]],
  ["space around a value", [["1", " 2"]]],
  ["half a character", [["1", '"\ud800"']]],
  ["an empty text", [["1", ""]]],
  ["an object", [["1", '{"a":1}']]],
  ["an array", [["1", "[1]"]]],
  ["more bytes", [["1", `"${"x".repeat(100)}"`]]],
])("refuses %s from a process that ran SQL of a caller", (_, cells) => {
  expect(() => checkedCells(columns, cells as Cells, 60)).toThrow("Invalid values of a small result.");
});

it.each<[string, unknown]>([
  ["none", []],
  ["holes", new Array(2)],
  ["a number as name", [{ ...columns[0], name: 1 }]],
  ["a nested type", [{ ...columns[0], engineType: "BIGINT[]" }]],
  ["the type of another engine", [{ ...columns[0], engineType: "int8" }]],
  ["more digits than the engine has", [{ ...columns[0], engineType: "DECIMAL(39,1)" }]],
  ["more digits after the point than in all", [{ ...columns[0], engineType: "DECIMAL(3,4)" }]],
])("refuses columns that are %s", (_, given) => {
  const rows = [["1"]];
  expect(() => checkedCells(given as readonly ResultColumn[], rows, 60)).toThrow(/Invalid|undefined/);
});

it("accepts the texts of single values", () => {
  const cells = [
    ["null", '"é"'],
    ["-0.0", "true"],
  ];
  expect(cellBytes(cells)).toBe(30); // `"null",`, `"\"é\"",` and so on
  expect(checkedCells(columns, cells, cellBytes(cells))).toBe(cells);
  expect(cells.flat().map(cellText)).toEqual([null, "é", "-0.0", "true"]);
});

it("ends at the value that is too large", async () => {
  const connection = await (await DuckDBInstance.create()).connect();
  const result = await connection.run("SELECT range AS n, 'x' AS x FROM range(10) ORDER BY n");
  const chunks = await result.fetchAllChunks();
  expect(cellsOf(chunks, result.columnTypes(), 119)).toBeUndefined();
  const cells = cellsOf(chunks, result.columnTypes(), 120);
  expect([cells?.length, cells?.[9]]).toEqual([10, ["9", '"x"']]);
  const types = (await connection.run("SELECT '[1]'::JSON, [1], 'a'::ENUM('a')")).columnTypes();
  expect(types.map((type) => canBeCells([type]))).toEqual([false, false, false]);
  expect(canBeCells([new DuckDBVarCharType("DATE")])).toBe(false);
  connection.closeSync();
});
