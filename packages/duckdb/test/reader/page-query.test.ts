import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { ResultColumn } from "@quern/query-run/record";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { comparedCell } from "../../src/engine/column-type.ts";
import { jsonMacros } from "../../src/reader/json-cell.ts";
import { countQuery, type LocatedTask, type Query, rowsQuery } from "../../src/reader/page-query.ts";
import type { Condition } from "../../src/reader/task.ts";

let directory: string;
let connection: DuckDBConnection;
beforeAll(async () => {
  directory = await temporaryDirectory();
  connection = await (await DuckDBInstance.create()).connect();
  for (const macro of jsonMacros) await connection.run(macro);
  const rows =
    "(1, 'a', '9'), (2, 'b%', '100'), (3, NULL, '170141183460469231731687303715884105727'), (NULL, 'a', NULL)";
  await connection.run(`COPY (FROM (VALUES ${rows}) t(c0, c1, c2)) TO '${join(directory, "rows.parquet")}'`);
});
afterAll(async () => {
  connection.disconnectSync();
  await rm(directory, { recursive: true });
});

const columns: readonly ResultColumn[] = [
  { name: "n", kind: "number", engineType: "BIGINT" },
  { name: "text", kind: "string", engineType: "VARCHAR" },
  { name: "huge", kind: "number", engineType: "HUGEINT" },
];

function task(view: Partial<Pick<LocatedTask, "conditions" | "sortKeys">>): LocatedTask {
  const path = join(directory, "rows.parquet");
  const page = { number: 1, size: 10 };
  const none = { conditions: [], sortKeys: [] };
  return {
    result: "rows",
    files: [{ path, firstRow: 0 }],
    columns,
    rowCount: 4,
    page,
    format: "csv",
    rowIndex: true,
    maxBytes: 1_000,
    ...none,
    ...view,
  };
}

async function run({ text, values, types }: Query): Promise<readonly (readonly unknown[])[]> {
  const reader = await connection.runAndReadAll(text, values, types);
  return reader.getRowsJson();
}

/** Returns the row numbers in the order of the query. */
async function rowNumbers(asked: LocatedTask, offset = 0, rowCount = 10): Promise<readonly number[]> {
  const rows = await run(rowsQuery(asked, ["c0", "c1", "c2", "file_row_number"], offset, rowCount));
  return rows.map((row) => Number(row[columns.length]));
}

describe("a condition", () => {
  const huge = "170141183460469231731687303715884105727";
  it.each<[Condition["operator"], number, Condition["values"], readonly number[]]>([
    ["eq", 0, [2], [1]],
    ["eq", 0, [null], [3]],
    ["neq", 0, [2], [0, 2]],
    ["neq", 0, [null], [0, 1, 2]],
    ["gt", 0, [null], []],
    ["gte", 0, ["2"], [1, 2]],
    ["lt", 2, [100], [0]],
    ["eq", 2, [huge], [2]],
    ["like", 1, ["b\\%"], [1]],
    ["like", 1, ["a\\%"], []],
    ["ilike", 1, ["B%"], [1]],
    ["like", 1, ["b%"], [1]],
    ["like", 2, ["1%"], [1, 2]],
    ["in", 1, ["a", "c"], [0, 3]],
    ["in", 1, ["a", null], [0, 2, 3]],
    ["in", 0, [], []],
    ["notIn", 1, ["a"], [1, 2]],
    ["notIn", 1, ["a", null], [1]],
    ["notIn", 0, [], [0, 1, 2, 3]],
    ["eq", 1, ["'; DROP TABLE t; --"], []],
  ])("%s on column %i with %j leaves the rows %j", async (operator, index, values, expected) => {
    const asked = task({ conditions: [{ operator, index, values }] });
    expect(await rowNumbers(asked)).toEqual(expected);
    expect(await run(countQuery(asked))).toEqual([[String(expected.length)]]);
  });

  it("must hold with every other", async () => {
    const conditions: Condition[] = [
      { index: 1, operator: "eq", values: ["a"] },
      { index: 0, operator: "eq", values: [1] },
    ];
    expect(await rowNumbers(task({ conditions }))).toEqual([0]);
  });
});

describe("an order", () => {
  it.each([
    ["numbers as numbers, also those that are stored as text", 2, false, [0, 1, 2, 3]],
    ["the largest first, and what has no value last", 2, true, [2, 1, 0, 3]],
    ["equals as they were", 1, false, [0, 3, 1, 2]],
  ])("puts %s", async (_, index, descending, expected) => {
    expect(await rowNumbers(task({ sortKeys: [{ index, descending }] }))).toEqual(expected);
  });
});

it("a range is of the rows that the view leaves", async () => {
  expect(await rowNumbers(task({}), 1, 2)).toEqual([1, 2]);
  expect(await rowNumbers(task({ sortKeys: [{ index: 0, descending: true }] }), 1, 2)).toEqual([1, 0]);
  expect(await rowNumbers(task({ conditions: [{ index: 0, operator: "gt", values: [1] }] }), 1, 5)).toEqual([2]);
});

it.each([
  ["BIT", "CAST(c0 AS BIT)"],
  ["ENUM('a', 'b')[]", "CAST(c0 AS ENUM('a', 'b')[])"],
  ["UHUGEINT[3]", "CAST(CAST(c0 AS VARCHAR[3]) AS BIGNUM[3])"],
  ["VARCHAR", "c0"],
  [`STRUCT("a" ENUM('a', 'b'))`, "c0"],
  ["MAP(VARCHAR, INTERVAL)", "c0"],
])("a cell of %s is compared as %s", (engineType, cell) => {
  expect(comparedCell(engineType, "c0")).toBe(cell);
});
