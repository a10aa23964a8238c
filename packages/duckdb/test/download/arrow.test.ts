import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { writeArrow } from "../../src/download/arrow.ts";
import { columnKind, engineTypeName, storedCell, type WideIntegers } from "../../src/engine/column-type.ts";

let directory: string;
let instance: DuckDBInstance;
beforeAll(async () => {
  directory = await temporaryDirectory();
  instance = await DuckDBInstance.create(":memory:", { threads: "1" });
});
afterAll(async () => {
  instance.closeSync();
  await rm(directory, { recursive: true });
});

/** Stores values as results are stored, writes the file as Arrow and returns its table. */
async function arrowOf(values: string, names = ["v"], wideIntegers: WideIntegers = "text", totalBytes = 1) {
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  const path = join(directory, "rows.parquet");
  const sql = values.startsWith("SELECT") ? values : `SELECT unnest([${values}]) AS v`;
  const type = (await connection.prepare(sql)).columnType(0);
  const cells = names.map((_, index) => `${storedCell(type, "v", wideIntegers)} AS c${index}`);
  const { rowsChanged: rowCount } = await connection.run(
    `COPY (SELECT ${cells.join(", ")} FROM (${sql})) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 20480)`,
  );
  const columns = names.map((name) => ({ name, kind: columnKind(type), engineType: engineTypeName(type) }));
  const target = join(directory, "rows.arrows");
  const task = { paths: [path], files: [{ path, firstRow: 0 }], columns, rowCount, totalBytes, target };
  await using file = await open(target, "w");
  await writeArrow(connection, { ...task, format: "arrow", spillMegabytes: 10 }, file);
  connection.closeSync();
  return tableFromIPC(await readFile(target));
}

/** Returns a value of a vector in plain objects. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint32Array || value instanceof Uint8Array) return [...value];
  return "toJSON" in value && typeof value.toJSON === "function" ? plain(value.toJSON()) : listOrObject(value);
}

function listOrObject(value: object): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

const halves = (low: bigint, high: bigint): number[] => [...new Uint32Array(BigInt64Array.of(low, high).buffer)];
const wide = "170141183460469231731687303715884105727";

it.each([
  ["true, NULL, false, true", "Bool", [true, null, false, true]],
  ["1::TINYINT, NULL, -128", "Int8", [1, null, -128]],
  ["1::SMALLINT, NULL, -32768", "Int16", [1, null, -32_768]],
  ["1::INTEGER, NULL, -2147483648", "Int32", [1, null, -2_147_483_648]],
  ["NULL, 255::UTINYINT", "Uint8", [null, 255]],
  ["NULL, 65535::USMALLINT", "Uint16", [null, 65_535]],
  ["NULL, 4294967295::UINTEGER", "Uint32", [null, 4_294_967_295]],
  ["NULL, 0.1::FLOAT", "Float32", [null, Math.fround(0.1)]],
  ["0.1::DOUBLE, NULL", "Float64", [0.1, null]],
  ["NULL, (-9223372036854775808)::BIGINT", "Int64", [null, -9_223_372_036_854_775_808n]],
  ["NULL, 18446744073709551615::UBIGINT", "Uint64", [null, 18_446_744_073_709_551_615n]],
  ["NULL, DATE '1970-01-03'", "Date32<DAY>", [null, 172_800_000]],
  ["NULL, TIME '00:00:01.000002'", "Time64<MICROSECOND>", [null, 1_000_002n]],
  ["NULL, TIMESTAMP '1970-01-01 00:00:01.5'", "Timestamp<MICROSECOND>", [null, 1_500]],
  ["NULL, '1970-01-01 00:00:01'::TIMESTAMP_S", "Timestamp<MICROSECOND>", [null, 1_000]],
  ["NULL, '1970-01-01 00:00:01.5'::TIMESTAMP_MS", "Timestamp<MICROSECOND>", [null, 1_500]],
  ["NULL, TIMESTAMPTZ '1970-01-01 00:00:01.5+00'", "Timestamp<MICROSECOND, UTC>", [null, 1_500]],
  ["NULL, '1970-01-01 00:00:01.000000002'::TIMESTAMP_NS", "Timestamp<NANOSECOND>", [null, 1_000.000002]],
  ["NULL, -1.25::DECIMAL(9,2), 3::DECIMAL(9,2)", "Decimal[9e+2]", [null, halves(-125n, -1n), halves(300n, 0n)]],
  ["NULL, 18446744073709551617::DECIMAL(38,0)", "Decimal[38e0]", [null, halves(1n, 1n)]],
  [`NULL, ${wide}::HUGEINT`, "Utf8", [null, wide]],
  ["'é'::VARCHAR, NULL, '', 'ab'", "Utf8", ["é", null, "", "ab"]],
  ["'6f7e657f-077d-45db-a369-b7889c3ffc9b'::UUID", "Utf8", ["6f7e657f-077d-45db-a369-b7889c3ffc9b"]],
  ["'\\xFFa'::BLOB, NULL, 'b'", "Binary", [[255, 97], null, [98]]],
  ["SELECT unnest(['b', NULL, 'a']::ENUM('a', 'b')[]) AS v", "Dictionary<Int32, Utf8>", ["b", null, "a"]],
  ["[1, NULL], NULL, [], [2]", "List<Int32>", [[1, null], null, [], [2]]],
  ["[1, 2]::INTEGER[2], NULL, [3, NULL]", "FixedSizeList[2]<Int32>", [[1, 2], null, [3, null]]],
  [
    "{'a': 1, 'b': 'x'}, NULL, {'a': NULL, 'b': 'y'}",
    "Struct<{a:Int32, b:Utf8}>",
    [{ a: 1, b: "x" }, null, { a: null, b: "y" }],
  ],
  ["row(1, 'x')", "Struct<{f1:Int32, f2:Utf8}>", [{ f1: 1, f2: "x" }]],
  ["MAP {'k': 1, 'l': NULL}, NULL, MAP {'m': 2}", "Map<{key:Utf8, value:Int32}>", [{ k: 1, l: null }, null, { m: 2 }]],
  [
    "SELECT CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN true ELSE false END AS v FROM range(18) r(n)",
    "Bool",
    Array.from({ length: 18 }, (_, n) => (n % 3 === 0 ? null : n % 3 === 1)),
  ],
  [
    "SELECT CASE WHEN n IN (0, 7, 8, 15, 16) THEN NULL ELSE n::INTEGER END AS v FROM range(18) r(n)",
    "Int32",
    Array.from({ length: 18 }, (_, n) => ([0, 7, 8, 15, 16].includes(n) ? null : n)),
  ],
  [
    "SELECT CASE WHEN n < 9 THEN NULL ELSE repeat('x', n::INTEGER) END AS v FROM range(11) r(n)",
    "Utf8",
    [...Array(9).fill(null), "x".repeat(9), "x".repeat(10)],
  ],
  ["1::TINYINT, 2, 3", "Int8", [1, 2, 3]],
  ["127::TINYINT, NULL::TINYINT", "Int8", [127, null]],
  ["9223372036854775807::BIGINT, -1, NULL", "Int64", [9_223_372_036_854_775_807n, -1n, null]],
  ["-0.5::FLOAT, NULL, 'inf'", "Float32", [-0.5, null, Number.POSITIVE_INFINITY]],
  ["DATE '1969-12-31', NULL, DATE '2026-11-26'", "Date32<DAY>", [-86_400_000, null, Date.UTC(2026, 10, 26)]],
  [
    "-18446744073709551617::DECIMAL(38,0), NULL, -1::DECIMAL(38,0)",
    "Decimal[38e0]",
    [halves(-1n, -2n), null, halves(-1n, -1n)],
  ],
  [
    "SELECT unnest(['c', 'a', NULL, 'b', 'c']::ENUM('a', 'b', 'c')[]) AS v",
    "Dictionary<Int32, Utf8>",
    ["c", "a", null, "b", "c"],
  ],
  ["[[1], NULL, [2, 3]], [], NULL, [[]]", "List<List<Int32>>", [[[1], null, [2, 3]], [], null, [[]]]],
  ["['a', NULL, 'bc'], NULL, ['d']", "List<Utf8>", [["a", null, "bc"], null, ["d"]]],
  ["[[1], NULL]::INTEGER[][2], NULL, [[2, 3], []]", "FixedSizeList[2]<List<Int32>>", [[[1], null], null, [[2, 3], []]]],
  [
    "{'a': [1], 'b': {'c': DATE '1970-01-02'}}, NULL",
    "Struct<{a:List<Int32>, b:Struct<{c:Date32<DAY>}>}>",
    [{ a: [1], b: { c: 86_400_000 } }, null],
  ],
  ["MAP {1: ['x', NULL]}, MAP {}, NULL", "Map<{key:Int32, value:List<Utf8>}>", [{ 1: ["x", null] }, {}, null]],
])("writes %s as %s", async (values, type, expected) => {
  const table = await arrowOf(values);
  const column = table.getChild("v");
  expect({ type: String(column?.type), nulls: column?.nullCount }).toEqual({
    type,
    nulls: expected.filter((value) => value === null).length,
  });
  expect([...(column ?? [])].map(plain)).toEqual(expected);
});

it("writes integers of more than 64 bits as decimals if the file has decimals", async () => {
  const table = await arrowOf("NULL, 18446744073709551617::HUGEINT", ["v"], "number");
  expect(String(table.schema.fields[0]?.type)).toBe("Decimal[38e0]");
  expect([...(table.getChild("v") ?? [])].map(plain)).toEqual([null, halves(1n, 1n)]);
});

it("gives columns of one name different names, and says that each can be null, but no key of a map", async () => {
  const { schema } = await arrowOf("MAP {'k': [1]}", ["v", "v"]);
  expect(schema.fields.map(({ name, nullable }) => [name, nullable])).toEqual([
    ["v", true],
    ["v_2", true],
  ]);
  const entries = schema.fields[0]?.type.children[0];
  expect(entries.nullable).toBe(false);
  const [key, value] = entries.type.children;
  expect([key.nullable, value.nullable, value.type.children[0].nullable]).toEqual([false, true, true]);
});

it("writes several row groups in order", async () => {
  const rows = "SELECT n, CASE WHEN n % 3 > 0 THEN 'text of the row ' || n END AS t FROM range(50000) r(n)";
  const table = await arrowOf(`SELECT {'n': n, 't': t} AS v FROM (${rows})`);
  const texts = await arrowOf(`SELECT t AS v FROM (${rows})`);
  const expected = Array.from({ length: 50_000 }, (_, n) => (n % 3 > 0 ? `text of the row ${n}` : null));
  expect([...(texts.getChild("v") ?? [])]).toEqual(expected);
  expect([...(table.getChild("v") ?? [])].map(({ n, t }) => [n, t])).toEqual(
    expected.map((text, n) => [BigInt(n), text]),
  );
});

it("writes a batch for each range of rows, and the schema of a result without rows", async () => {
  const table = await arrowOf("1, 2, 3", ["v"], "text", Number.MAX_SAFE_INTEGER);
  expect(table.batches.map(({ numRows }) => numRows)).toEqual([1, 1, 1]);
  expect([...(table.getChild("v") ?? [])]).toEqual([1, 2, 3]);
  const { schema, numRows } = await arrowOf("SELECT 1 AS v WHERE false");
  expect([schema.fields.map(String), numRows]).toEqual([["v: Int32"], 0]);
});
