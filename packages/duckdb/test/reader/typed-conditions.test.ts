import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { ResultColumn } from "@quern/query-run/record";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { jsonMacros } from "../../src/reader/json-cell.ts";
import { type LocatedTask, type Query, rowsQuery, sortedQuery } from "../../src/reader/page-query.ts";
import type { Condition, PageTask } from "../../src/reader/task.ts";

let directory: string;
let connection: DuckDBConnection;
beforeAll(async () => {
  directory = await temporaryDirectory();
  connection = await (await DuckDBInstance.create()).connect();
  await connection.run("SET TimeZone = 'UTC'");
  for (const macro of jsonMacros) await connection.run(macro);
});
afterAll(async () => {
  connection.disconnectSync();
  await rm(directory, { recursive: true });
});

const column = (engineType: string, kind: ResultColumn["kind"]): ResultColumn => ({ name: "c", kind, engineType });

/** Task of the rows of a result with one column. */
async function taskOf(one: ResultColumn, values: string, view: Partial<PageTask>): Promise<LocatedTask> {
  const path = join(directory, "rows.parquet");
  await connection.run(`COPY (SELECT unnest([${values}]) AS c0) TO '${path}' (FORMAT parquet)`);
  const form = { result: "rows", format: "csv", rowIndex: true, maxBytes: 1_000 } as const;
  const all = { conditions: [], sortKeys: [], rowCount: 9, page: { number: 1, size: 10 } };
  return { files: [{ path, firstRow: 0 }], columns: [one], ...form, ...all, ...view };
}

async function run({ text, values, types }: Query): Promise<readonly (readonly unknown[])[]> {
  return (await connection.runAndReadAll(text, values, types)).getRowsJson();
}

/** Returns the numbers of the rows that meet a condition. */
async function rowNumbers(one: ResultColumn, values: string, condition: Omit<Condition, "index">): Promise<unknown> {
  const asked = await taskOf(one, values, { conditions: [{ index: 0, ...condition }] });
  const rows = await run(rowsQuery(asked, ["file_row_number"], 0, 100));
  return rows.map(([number]) => Number(number));
}

// Files with 20 rows and more have bloom filters, and the engine looks for other bytes in them than it has written.
it.each([
  ["BLOB", "string", "'\\xFF\\x00a'::BLOB, 'plain'::BLOB, '\\x80'::BLOB", ["/wBh", "cGxhaW4=", "gA=="]],
  ["DOUBLE", "number", "'-0.0'::DOUBLE, 'inf'::DOUBLE - 'inf'::DOUBLE, 1.5::DOUBLE", [0, "NaN", 1.5]],
  ["FLOAT", "number", "'-0.0'::FLOAT, 'inf'::FLOAT - 'inf'::FLOAT, 0.1::FLOAT", [0, "NaN", 0.1]],
] as const)("eq finds the same rows of a %s as in_, in a file with a dictionary", async (type, kind, values, asked) => {
  const repeated = Array.from({ length: 30 }, () => values).join(", ");
  for (const [index, value] of asked.entries()) {
    const rows = Array.from({ length: 30 }, (_, repetition) => 3 * repetition + index);
    for (const operator of ["eq", "in"] as const)
      expect(await rowNumbers(column(type, kind), repeated, { operator, values: [value] })).toEqual(rows);
  }
});

type Case = readonly [Condition["operator"], Condition["values"], readonly number[]];

function conditions(one: ResultColumn, values: string, cases: readonly Case[]): void {
  describe(`a condition on the ${one.engineType} values ${values}`, () => {
    it.each(cases)("%s %j leaves the rows %j", async (operator, asked, expected) => {
      expect(await rowNumbers(one, values, { operator, values: asked })).toEqual(expected);
    });
  });
}

conditions(column("INTEGER", "number"), "1, 2, 3, NULL", [
  ["eq", [2], [1]],
  ["gt", [2], [2]],
  ["gte", [2], [1, 2]],
  ["lt", [2], [0]],
  ["lte", [2], [0, 1]],
  ["lt", ["1.5"], [0]],
  ["eq", ["1.5"], []],
  ["in", [1, "3"], [0, 2]],
  ["lt", [null], []],
]);
conditions(column("FLOAT", "number"), "0.1::FLOAT, 0.5::FLOAT, NULL", [
  ["eq", [0.1], [0]],
  ["eq", ["0.1"], [0]],
  ["gt", [0.1], [1]],
  ["in", [0.1], [0]],
]);
conditions(column("DOUBLE", "number"), "0.1::DOUBLE, 12.5::DOUBLE, NULL", [
  ["eq", ["12.5"], [1]],
  ["lt", ["9"], [0]],
]);
conditions(column("DECIMAL(9,2)", "number"), "1.10::DECIMAL(9,2), 1.11::DECIMAL(9,2), 1234567.89::DECIMAL(9,2)", [
  ["eq", ["1.1"], [0]],
  ["eq", ["1.105"], []],
  ["lt", ["1.105"], [0]],
  ["eq", ["1234567.89"], [2]],
  ["eq", [`1.1${"0".repeat(29)}1`], []],
]);
// Numbers that a page shows, of which the engine's double is another one.
conditions(
  column("DECIMAL(16,16)", "number"),
  "'0.9999999999999999'::DECIMAL(16,16), '0.0000001'::DECIMAL(16,16), NULL",
  [
    ["eq", [0.9999999999999999], [0]],
    ["in", [0.9999999999999999, 1e-7], [0, 1]],
    ["lt", [0.9999999999999999], [1]],
    ["lt", [1e300], [0, 1]],
    ["gt", [1], []],
    ["eq", [1e-30], []],
    ["gt", [-1e22], [0, 1]],
  ],
);
conditions(column("BOOLEAN", "boolean"), "true, false, NULL", [
  ["eq", [true], [0]],
  ["eq", ["true"], [0]],
  ["neq", [true], [1]],
  ["in", [false, null], [1, 2]],
]);
conditions(column("BLOB", "string"), "'a'::BLOB, '\\xFF'::BLOB, NULL", [
  ["eq", ["/w=="], [1]],
  ["in", ["YQ=="], [0]],
]);
conditions(column("DATE", "date"), "DATE '2026-11-20', DATE '12026-11-20', NULL", [
  ["eq", ["2026-11-20"], [0]],
  ["eq", ["+012026-11-20"], [1]],
  ["like", ["+0%"], [1]],
]);
conditions(column("ENUM('small', 'large')", "string"), "'large', 'small', NULL", [
  ["gt", ["small"], [0]],
  ["eq", ["huge"], []],
  ["neq", ["huge"], [0, 1]],
  ["neq", ["small"], [0]],
  ["notIn", ["huge", "small"], [0, 2]],
]);
conditions(column("ENUM('b', 'a')[]", "array"), "['a'], ['b'], NULL", [
  ["like", ['["a"]'], [0]],
  ["neq", [null], [0, 1]],
]);
conditions(column("VARCHAR", "string"), "'a\nb', 'ab', 'acb', 'a_', NULL", [
  ["like", ["a_b%"], [0, 2]],
  ["like", ["a%"], [0, 1, 2, 3]],
  ["like", ["a__"], [0, 2]],
  ["neq", ["ab"], [0, 2, 3]],
]);
conditions(
  column("JSON", "object"),
  `'1'::JSON, '"a"'::JSON, 'true'::JSON, 'null'::JSON, NULL, '2.5'::JSON, '"1"'::JSON`,
  [
    ["eq", [1], [0]],
    ["gte", [1], [0, 5]],
    ["eq", [true], [2]],
    ["eq", ["a"], [1]],
    ["eq", ["1"], [0, 6]],
    ["eq", [null], [3, 4]],
    ["neq", [1], [1, 2, 5, 6]],
    ["neq", [true], [0, 1, 5, 6]],
    ["neq", ["a"], [0, 2, 5, 6]],
    ["in", [2.5, "a", true], [1, 2, 5]],
    ["in", [null], [3, 4]],
    ["notIn", ["a", null], [0, 2, 5, 6]],
    ["like", ["tr%"], [2]],
  ],
);

it.each([
  ["TINYINT", "127"],
  ["SMALLINT", "32767"],
  ["INTEGER", "2147483647"],
  ["BIGINT", "9223372036854775807"],
  ["UTINYINT", "255"],
  ["USMALLINT", "65535"],
  ["UINTEGER", "4294967295"],
  ["UBIGINT", "18446744073709551615"],
])("a text is compared with the largest %s by as many digits as a decimal can have", async (type, largest) => {
  const one = column(type, "number");
  const fraction = `${"0".repeat(37 - largest.length)}1`;
  const of = (operator: "eq" | "lt", value: string) =>
    rowNumbers(one, `${largest}::${type}`, { operator, values: [value] });
  expect(await of("eq", largest)).toEqual([0]);
  expect(await of("eq", `${largest}.${fraction}`)).toEqual([]);
  expect(await of("lt", `${largest}.${fraction}`)).toEqual([0]);
});

it("a sorted copy has the rows that meet the conditions in the order of the keys, with their row numbers", async () => {
  const asked = await taskOf(column("VARCHAR", "string"), "'a', 'c', NULL, 'b', 'c'", {
    conditions: [{ index: 0, operator: "neq", values: ["a"] }],
    sortKeys: [{ index: 0, descending: true }],
  });
  const copy = join(directory, "copy's.parquet");
  await run(sortedQuery(asked, copy));
  const { text, values, types } = { text: `FROM read_parquet('${copy.replace("'", "''")}')`, values: [], types: [] };
  expect(await run({ text, values, types })).toEqual([
    ["c", "1"],
    ["c", "4"],
    ["b", "3"],
  ]);
});

it("a column that the result lacks is an error, in a condition and in an order", async () => {
  const one = column("INTEGER", "number");
  const filtered = await taskOf(one, "1", { conditions: [{ index: 1, operator: "eq", values: [1] }] });
  const sorted = await taskOf(one, "1", { sortKeys: [{ index: 2, descending: true }] });
  expect(() => rowsQuery(filtered, ["c0"], 0, 1)).toThrow("Unknown column: 1");
  expect(() => rowsQuery(sorted, ["c0"], 0, 1)).toThrow("Unknown column: 2");
});
