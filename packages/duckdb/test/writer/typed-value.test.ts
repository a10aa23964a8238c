import { DuckDBInstance, type DuckDBType, SQLNULL } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fromPositional, fromText } from "../../src/writer/typed-value.ts";

let instance: DuckDBInstance;
let connection: Awaited<ReturnType<DuckDBInstance["connect"]>>;
beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

async function typeOf(type: string): Promise<DuckDBType> {
  return (await connection.prepare(`SELECT NULL::${type}`)).columnType(0);
}

const literal = (text: string | null) => (text === null ? "NULL" : `'${text.replaceAll("'", "''")}'`);

/** Evaluates the SQL of a value on one row with the columns `t`, its text, and `j`, the same text as JSON. */
async function evaluated(sql: string, text: string | null): Promise<unknown> {
  const isValid = text !== null && (await read(`json_valid(${literal(text)})`)) === "true";
  const json = isValid || text === null ? `${literal(text)}::JSON` : `to_json(${literal(text)})`;
  return read(`CAST(${sql} AS VARCHAR)`, `SELECT ${literal(text)}::VARCHAR AS t, ${json} AS j`);
}

async function read(sql: string, from = "SELECT 1"): Promise<string | null> {
  const rows = await connection.runAndReadAll(`SELECT CAST(${sql} AS VARCHAR) FROM (${from})`);
  const value = rows.getRows()[0]?.[0];
  return value === null || value === undefined ? null : String(value);
}

it.each<[type: string, text: string | null, value: string | null]>([
  ["INTEGER", "12", "12"],
  ["INTEGER", null, null],
  ["VARCHAR", " a'b ", " a'b "],
  ["BOOLEAN", "true", "true"],
  ["DECIMAL(5,2)", "-1.25", "-1.25"],
  ["BLOB", "AP9h", "\\x00\\xFFa"],
  ["BLOB", "", ""],
  ["JSON", '{"a": [1]}', '{"a": [1]}'],
  ["INTEGER[]", "[1, null]", "[1, NULL]"],
  ["INTEGER[2]", "[1, 2]", "[1, 2]"],
  ["STRUCT(a INTEGER, b VARCHAR)", '{"a": 1, "b": "x"}', "{'a': 1, 'b': x}"],
  ["MAP(VARCHAR, INTEGER)", '{"k": 1}', "{k=1}"],
  ["DATE", "2026-01-02", "2026-01-02"],
  ["DATE", "+12026-01-02", "12026-01-02"],
  ["DATE", "-0001-01-02", "0002-01-02 (BC)"],
  ["DATE", null, null],
  ["TIMESTAMP", "2026-01-02 03:04:05.678", "2026-01-02 03:04:05.678"],
  ["TIMESTAMP", "+12026-01-02 03:04:05", "12026-01-02 03:04:05"],
  ["TIMESTAMP WITH TIME ZONE", "2026-01-02 03:04:05 +05:30", "2026-01-01 21:34:05+00"],
  ["TIMESTAMP WITH TIME ZONE", "2026-01-02 03:04:05 -05:30", "2026-01-02 08:34:05+00"],
  ["TIMESTAMP WITH TIME ZONE", "+12026-01-02 03:04:05 +01:00", "12026-01-02 02:04:05+00"],
  ["TIMESTAMP WITH TIME ZONE", "2026-01-02 03:04:05+01", "2026-01-02 02:04:05+00"],
  ["TIMESTAMP WITH TIME ZONE", "2026-01-02 03:04:05Z", "2026-01-02 03:04:05+00"],
  ["TIMESTAMP WITH TIME ZONE", "2026-01-02 03:04:05 +00:00", "2026-01-02 03:04:05+00"],
  ["TIME", "03:04:05", "03:04:05"],
])("a value of the type %s is read from %j", async (type, text, value) => {
  expect(await evaluated(fromText(await typeOf(type), "t", "j"), text)).toBe(value);
});

it.each([
  ["UNION(n INTEGER)", 'UNION("n" INTEGER)'],
  ["VARIANT", "VARIANT"],
  ["GEOMETRY", "GEOMETRY"],
  ["NULL", "SQLNULL"],
])("a column of the type %s is refused", async (type, name) => {
  const unsupported = type === "NULL" ? SQLNULL : await typeOf(type);
  expect(() => fromText(unsupported, "t", "j")).toThrow(
    expect.objectContaining({
      failure: {
        name: "UnsupportedType",
        message: `Unsupported column type: ${name}; cast the column to JSON or VARCHAR.`,
        data: { category: "DATA_SOURCE", retryable: false },
      },
    }),
  );
});

it.each<[type: string, json: string | null, value: string | null]>([
  ["INTEGER", "12", "12"],
  ["VARCHAR", '"a b"', "a b"],
  ["VARCHAR", "null", null],
  ["JSON", '"{\\"a\\": 1}"', '{"a": 1}'],
  ["BLOB", '"aGk="', "hi"],
  ["DATE", '"+12026-01-02"', "12026-01-02"],
  ["INTEGER[]", "[1, null, 3]", "[1, NULL, 3]"],
  ["INTEGER[]", "[]", "[]"],
  ["INTEGER[]", "null", null],
  ["INTEGER[][]", "[[1], [], null]", "[[1], [], NULL]"],
  ["STRUCT(a INTEGER, b VARCHAR)", '[1, "x"]', "{'a': 1, 'b': x}"],
  ["STRUCT(a INTEGER, b VARCHAR)", "[null, null]", "{'a': NULL, 'b': NULL}"],
  ["STRUCT(a INTEGER, b VARCHAR)", "null", null],
  ["STRUCT(a INTEGER, b VARCHAR)", null, null],
  ['STRUCT("a b" STRUCT(c INTEGER), d BLOB)', '[[1], "aGk="]', "{'a b': {'c': 1}, 'd': hi}"],
  ["STRUCT(a JSON[])[]", '[[["1", "[2]"]], null]', "[{'a': [1, [2]]}, NULL]"],
  ["MAP(VARCHAR, INTEGER)", '{"k": 1, "l": null}', "{k=1, l=NULL}"],
  ["MAP(VARCHAR, INTEGER)", "{}", "{}"],
  ["MAP(VARCHAR, INTEGER)", "null", null],
  ["MAP(DATE, STRUCT(a INTEGER)[])", '{"2026-01-02": [[1], [2]]}', "{2026-01-02=[{'a': 1}, {'a': 2}]}"],
  ["MAP(INTEGER, MAP(VARCHAR, INTEGER))", '{"1": {"k": 2}}', "{1={k=2}}"],
])("a value of the type %s is read from the positional JSON %s", async (type, json, value) => {
  expect(await evaluated(fromPositional(await typeOf(type), { json: "j" }), json)).toBe(value);
});

it.each<[type: string, text: string | null, value: string | null]>([
  ["VARCHAR", "a b", "a b"],
  ["INTEGER", "12", "12"],
  ["JSON", '{"a": 1}', '{"a": 1}'],
  ["BLOB", "aGk=", "hi"],
  ["DATE", "+12026-01-02", "12026-01-02"],
  ["INTEGER[]", "[1, null]", "[1, NULL]"],
  ["STRUCT(a INTEGER, b VARCHAR)", '[1, "x"]', "{'a': 1, 'b': x}"],
  ["STRUCT(a INTEGER, b VARCHAR)", null, null],
  ["MAP(VARCHAR, INTEGER)", '{"k": 1}', "{k=1}"],
])("a value of the type %s is read from the text %s of a column", async (type, text, value) => {
  expect(await evaluated(fromPositional(await typeOf(type), { text: "t" }), text)).toBe(value);
});

it.each(["[1]", "[1, 2, 3]", "{}", "7"])("the row %s does not fit two members", async (json) => {
  const sql = fromPositional(await typeOf("STRUCT(a INTEGER, b VARCHAR)"), { json: "j" });
  await expect(evaluated(sql, json)).rejects.toThrow("a row within a value does not have 2 values");
});
