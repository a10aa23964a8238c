import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance, type DuckDBType } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { engineTypeName, pageCell, storedCell, type WideIntegers } from "../../src/engine/column-type.ts";
import { parseStoredType } from "../../src/engine/stored-type.ts";
import { jsonCell, jsonMacros, lowerCaseEscapes, orNull } from "../../src/reader/json-cell.ts";
import { cellWriter } from "../../src/results/cell.ts";

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

/** Writes values as results are written, and returns what both writers make of the stored values. */
async function written(
  type: string,
  rows: string,
  wideIntegers: WideIntegers,
): Promise<Record<"engine" | "javascript", unknown>> {
  const file = join(directory, "values.parquet");
  const values = `SELECT CAST(c0 AS ${type}) AS c0 FROM (${rows}) AS t(c0)`;
  const inStatement: DuckDBType = (await connection.run(`${values} LIMIT 0`)).columnType(0);
  await connection.run(
    `COPY (SELECT ${storedCell(inStatement, "c0", wideIntegers)} AS c0 FROM (${values})) TO '${file}' (FORMAT parquet)`,
  );
  const stored = parseStoredType(engineTypeName(inStatement));
  const column = async (cell: string) => {
    const reader = await connection.runAndReadAll(`SELECT ${cell} FROM read_parquet('${file}')`);
    return reader.getColumns()[0] ?? [];
  };
  const json = jsonCell(stored, "c0");
  return {
    engine: json === undefined ? undefined : (await column(orNull(json))).map((text) => lowerCaseEscapes(String(text))),
    javascript: (await column(pageCell(stored, "c0"))).map(cellWriter(stored)),
  };
}

const list = (...values: readonly string[]): string => `SELECT unnest([${[...values, "NULL"].join(", ")}])`;
const texts = (...values: readonly string[]): string =>
  list(...values.map((value) => `'${value.replaceAll("'", "''")}'`));
/** Integers of 128 bits that are the same in each run. */
const random = (count: number): string =>
  `(SELECT CAST(hash(range) AS HUGEINT) * 9223372036854775807 + CAST(hash(-range) AS HUGEINT) // 2 AS r, range AS n FROM range(${count}))`;

const times = [
  "1970-01-01 00:00:00",
  "1969-12-31 23:59:59.999999",
  "2026-11-20 09:30:00.12",
  "2026-11-20 09:30:00.1204",
  "2026-11-20 09:30:00.100",
  "2026-11-20 09:30:00.120400",
  "0001-01-01 00:00:00",
  "9999-12-31 23:59:59.999999",
  "10000-01-01 00:00:00",
  "12026-02-28 01:02:03.4",
  "0001-12-31 (BC) 23:59:59.5",
  "0044-03-15 (BC) 01:02:03.000004",
  "12000-02-29 00:00:00.001",
  "290000-12-31 23:59:59.999",
  "infinity",
  "-infinity",
];
const bounds = (type: string, low: string, high: string): readonly [string, string] => [
  type,
  texts(low, high, "0", "1"),
];
const wideTexts = [
  "0",
  "-1",
  "7",
  "9007199254740991",
  "9007199254740992",
  "-9007199254740991",
  "-9007199254740992",
  "999999999999999",
  "1000000000000000",
  "9223372036854775808",
  "99999999999999999999999999999999999999",
];

/** Values of each type that the engine writes. */
const engineTypes: readonly (readonly [type: string, rows: string])[] = [
  ["BOOLEAN", list("true", "false")],
  bounds("TINYINT", "-128", "127"),
  bounds("SMALLINT", "-32768", "32767"),
  bounds("INTEGER", "-2147483648", "2147483647"),
  bounds("UTINYINT", "0", "255"),
  bounds("USMALLINT", "0", "65535"),
  bounds("UINTEGER", "0", "4294967295"),
  ["BIGINT", texts("-9223372036854775808", "9223372036854775807", ...wideTexts.slice(0, -2))],
  ["UBIGINT", texts("18446744073709551615", "9007199254740991", "9007199254740992", "0")],
  ["HUGEINT", texts(...wideTexts)],
  ["HUGEINT", texts("170141183460469231731687303715884105727", "-170141183460469231731687303715884105728", "5")],
  ["UHUGEINT", texts("340282366920938463463374607431768211455", "9007199254740991", "0")],
  ["BIGNUM", texts(`-${"123456789".repeat(20)}`, "-9007199254740993", "12", "0")],
  ["DECIMAL(4,1)", texts("-999.9", "0.0", "-0.1", "999.9")],
  ["DECIMAL(9,0)", texts("-999999999", "0")],
  ["DECIMAL(15,15)", texts("0.999999999999999", "-0.000000000000001", "0")],
  ["DECIMAL(16,0)", texts("9007199254740991", "9007199254740992", "-9007199254740992", "9999999999999999")],
  [
    "DECIMAL(18,2)",
    texts("9999999999999.99", "10000000000000.00", "-10000000000000.01", "9999999999999999.99", "-0.01"),
  ],
  ["DECIMAL(18,18)", texts("0.000999999999999999", "0.001", "0.001000000000000001", "-0.123456789012345678", "0.1")],
  [
    "DECIMAL(20,2)",
    texts("12345678901234567.89", "100000000000000000.00", "-12345678901234.56", "999999999999999999.99"),
  ],
  ["DECIMAL(38,0)", texts(...wideTexts)],
  [
    "DECIMAL(38,2)",
    texts("12345678901234567000.00", "100000000000000000000000.00", "1e21", "1e20", "-12345678901234567890.12"),
  ],
  [
    "DECIMAL(38,30)",
    texts("0.000001234567890123456", "0.0000001234567890123456", "0.000099999999999999991", "1.5", "-0.1"),
  ],
  [
    "DECIMAL(38,38)",
    texts(
      "0.00000000000000000000001234567890123456",
      "0.1234567890123456",
      "-0.12345678901234567890123456789012345678",
    ),
  ],
  ...[1, 2, 10, 19, 25, 37].map((scale): readonly [string, string] => [
    `DECIMAL(38,${scale})`,
    `SELECT left(digits, ${38 - scale}) || '.' || right(digits, ${scale}) FROM (SELECT lpad(CAST(abs(r) % (10::HUGEINT ** (1 + n % 37))::HUGEINT AS VARCHAR), 38, '0') AS digits FROM ${random(400)})`,
  ]),
  [
    "DOUBLE",
    texts(
      "nan",
      "inf",
      "-inf",
      "0",
      "-0",
      "5e-324",
      "2.2250738585072014e-308",
      "1.7976931348623157e308",
      "-1.7976931348623157e308",
      "1e15",
      "1e16",
      "9999999999999998",
      "1e21",
      "1e-4",
      "9.9999e-5",
      "0.1",
      "1e300",
      "9007199254740993",
    ),
  ],
  ["DOUBLE", `SELECT CAST(r AS DOUBLE) / 10.0 ** (n % 60) FROM ${random(500)}`],
  [
    "FLOAT",
    texts("nan", "inf", "-inf", "0", "-0", "1e-45", "3.4028235e38", "-3.4028235e38", "0.1", "16777217", "1e16", "1e-5"),
  ],
  ["FLOAT", `SELECT CAST(r AS FLOAT) / 10.0 ** (n % 60) FROM ${random(300)}`],
  [
    "DATE",
    texts(
      "1970-01-01",
      "1969-12-31",
      "0001-01-01",
      "0001-01-01 (BC)",
      "0002-12-31 (BC)",
      "9999-12-31",
      "10000-01-01",
      "5881580-07-10",
      "5877642-06-25 (BC)",
      "2000-02-29",
      "12000-02-29",
      "infinity",
      "-infinity",
    ),
  ],
  ["TIMESTAMP", texts(...times, "294247-01-10 04:00:54.775806")],
  [
    "TIMESTAMP",
    `SELECT make_timestamp(CAST(r % 9000000000000000 AS BIGINT) * 1000 // (10 ** (n % 4))::BIGINT) FROM ${random(500)}`,
  ],
  [
    "TIMESTAMP_S",
    texts("1970-01-01 00:00:00", "0044-03-15 (BC) 01:02:03", "12026-02-28 01:02:03", "infinity", "-infinity"),
  ],
  [
    "TIMESTAMP_MS",
    texts("1970-01-01 00:00:00.5", "1969-12-31 23:59:59.999", "0044-03-15 (BC) 01:02:03.004", "infinity"),
  ],
  [
    "TIMESTAMP_NS",
    texts(
      "2026-11-20 09:30:00.123456789",
      "1969-12-31 23:59:59.999999999",
      "1677-09-22 00:12:43.145224193",
      "2262-04-11 23:47:16.854775806",
      "2026-11-20 09:30:00",
      "2026-11-20 09:30:00.1",
      "2026-11-20 09:30:00.12",
      "2026-11-20 09:30:00.12",
      "2026-11-20 09:30:00.123",
      "2026-11-20 09:30:00.1234",
      "infinity",
      "-infinity",
    ),
  ],
  ["TIMESTAMPTZ", texts(...times.map((time) => (time.includes("inf") ? time : time.replace(/( \(BC\))?$/, "$1"))))],
  ["TIME", texts("00:00:00", "23:59:59.999999", "24:00:00", "09:30:00.5")],
  ["TIMETZ", texts("09:30:00+02", "00:00:00-15:59:59", "23:59:59.999999+15:59:59")],
  ["TIME_NS", texts("09:30:00.123456789", "00:00:00")],
  ["INTERVAL", texts("1 month 2 days 3 microseconds", "-1 year", "0 days", "178000000 years", "-3 microseconds")],
  [
    "UUID",
    texts(
      "6f7e657f-077d-45db-a369-b7889c3ffc9b",
      "00000000-0000-0000-0000-000000000000",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ),
  ],
  ["BLOB", `SELECT unnest([''::BLOB, '\\x00'::BLOB, '\\xFF\\x00a'::BLOB, '\\xC3\\x28'::BLOB, 'abcd'::BLOB, NULL])`],
  ["BIT", texts("1", "0", "101", "1".repeat(70))],
  ["VARCHAR", `SELECT 'a' || chr(CAST(range AS INTEGER)) || 'b' FROM range(0, 55296)`],
  ["VARCHAR", `SELECT chr(CAST(range AS INTEGER)) FROM range(57344, 1114112, 61)`],
  [
    "VARCHAR",
    list(
      "''",
      "'\"'",
      "'\\'",
      "'\\u001F'",
      "'\\\\u001F'",
      "'\\' || chr(31) || '\\'",
      "chr(0)",
      "'😀'",
      "'</script>'",
      "chr(8232) || chr(65534)",
    ),
  ],
  ["ENUM('a', 'b''c', '\"', '\u001f')", texts("a", "b'c", '"', "\u001f")],
  ["INTEGER[]", list("[]", "[1, NULL]")],
  ["BIGINT[][]", list("[[9007199254740993, 1], [], NULL]", "[]")],
  ["VARCHAR[2]", list("['a', NULL]", "['\"', '']")],
  ["DOUBLE[]", list("['nan'::DOUBLE, 1, -0.0]")],
  ["FLOAT[3]", list("['0.1'::FLOAT, NULL, 'inf']")],
  [
    'STRUCT(a INTEGER, "b ""c" DATE[], c HUGEINT)',
    list(
      "{'a': 1, 'b \"c': [DATE '12026-01-01'], 'c': 9007199254740993::HUGEINT}",
      "{'a': NULL, 'b \"c': NULL, 'c': NULL}",
    ),
  ],
  [
    "STRUCT(a STRUCT(b STRUCT(c VARCHAR[])[]))",
    list("{'a': {'b': [{'c': ['x', NULL]}, NULL, {'c': NULL}]}}", "{'a': NULL}"),
  ],
  ["MAP(VARCHAR, INTEGER)", list("MAP {'k': 1, '\"': NULL}", "MAP {}")],
  ["MAP(BIGINT, VARCHAR)", list("MAP {1::BIGINT: 'x', 9007199254740993: 'y'}")],
  ["MAP(BOOLEAN, DOUBLE[])", list("MAP {true: [1.5::DOUBLE, 'nan']}")],
  [
    "MAP(STRUCT(a VARCHAR), MAP(DATE, TIMESTAMP))",
    list("MAP {{'a': '\"'}: MAP {DATE '2026-01-01': TIMESTAMP '2026-01-01'}}"),
  ],
  [
    "MAP(DECIMAL(38,2), UUID)",
    list("MAP {12345678901234567890.12::DECIMAL(38,2): NULL, 1.10: '6f7e657f-077d-45db-a369-b7889c3ffc9b'::UUID}"),
  ],
  ["MAP(INTEGER[], BLOB)[]", list("[MAP {[1, 2]: 'a'::BLOB}, NULL]")],
];

it.each(engineTypes)("the engine writes %s byte for byte as JavaScript does: %s", async (type, rows) => {
  const { engine, javascript } = await written(type, rows, "text");
  expect(engine).toEqual(javascript);
});

it.each(["HUGEINT", "UHUGEINT", "BIGNUM"].flatMap((type) => [type, `${type}[]`]))(
  "the engine writes %s byte for byte where the file has decimals",
  async (type) => {
    const rows = texts("0", "9007199254740991", "9007199254740992", "99999999999999999999999999999999999999");
    const { engine, javascript } = await written(
      type,
      type.endsWith("]") ? `SELECT [c0] FROM (${rows}) AS r(c0)` : rows,
      "number",
    );
    expect(engine).toEqual(javascript);
  },
);

it.each([
  ["JSON", texts('{"a": 12345678901234567890}')],
  ["JSON[]", list("['1'::JSON]")],
  ["STRUCT(a JSON)", list("{'a': '1'::JSON}")],
  ["VARIANT", list("1::VARIANT")],
  ["UNION(n INTEGER)", list("union_value(n := 1)")],
  ["INTEGER[][][][][][]", list("[[[[[[1]]]]]]")],
])("JavaScript writes %s: its numbers become strings by their digits, or it is nested deeply", async (type, rows) => {
  expect((await written(type, rows, "text")).engine).toBeUndefined();
});
