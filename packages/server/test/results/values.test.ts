import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { startServer, type TestServer } from "../fixture.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ kind: await oneProcessKind() });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Expressions, each with the kind of its column and the JSON text of its value. */
const values: readonly (readonly [expression: string, kind: string, json: string])[] = [
  ["true", "boolean", "true"],
  ["null::integer", "number", "null"],
  ["9007199254740991", "number", "9007199254740991"],
  ["9007199254740993", "number", '"9007199254740993"'],
  ["-9007199254740993", "number", '"-9007199254740993"'],
  ["170141183460469231731687303715884105727::hugeint", "number", '"170141183460469231731687303715884105727"'],
  ["18446744073709551615::ubigint", "number", '"18446744073709551615"'],
  ["7::hugeint", "number", "7"],
  ["sum(range)", "number", "3"],
  ["1.50::decimal(10,2)", "number", "1.50"],
  ["-0.5::decimal(3,1)", "number", "-0.5"],
  ["12345678901234567.89::decimal(20,2)", "number", '"12345678901234567.89"'],
  ["1234567890123456::decimal(20,0)", "number", "1234567890123456"],
  ["0.1::float", "number", "0.1"],
  ["0.1::double", "number", "0.1"],
  ["1e300::double", "number", "1e+300"],
  ["'nan'::double", "number", '"NaN"'],
  ["'-inf'::double", "number", '"-Infinity"'],
  ["'inf'::float", "number", '"Infinity"'],
  ["'it''s \"é\" 😀'", "string", JSON.stringify('it\'s "é" 😀')],
  ["''", "string", '""'],
  ["date '2026-11-20'", "date", '"2026-11-20"'],
  ["date '0044-03-15 (BC)'", "date", '"-000043-03-15"'],
  ["timestamp '2026-11-20 09:30:00'", "date", '"2026-11-20T09:30:00.000Z"'],
  ["timestamp '1969-12-31 23:59:59.999999'", "date", '"1969-12-31T23:59:59.999999Z"'],
  ["timestamp '2026-11-20 09:30:00.1205'", "date", '"2026-11-20T09:30:00.1205Z"'],
  ["timestamptz '2026-11-20 09:30:00+02'", "date", '"2026-11-20T07:30:00.000Z"'],
  ["timestamp_s '2026-11-20 09:30:00'", "date", '"2026-11-20T09:30:00.000Z"'],
  ["timestamp_ms '2026-11-20 09:30:00.5'", "date", '"2026-11-20T09:30:00.500Z"'],
  ["[timestamp_s '2026-11-20 09:30:00']", "array", '["2026-11-20T09:30:00.000Z"]'],
  ["timestamp_ns '2026-11-20 09:30:00.123456789'", "date", '"2026-11-20T09:30:00.123456789Z"'],
  ["timestamp 'infinity'", "date", '"infinity"'],
  ["date '-infinity'", "date", '"-infinity"'],
  ["time '09:30:00.5'", "string", '"09:30:00.5"'],
  ["'09:30:00+02'::timetz", "string", '"09:30:00+02"'],
  ["interval '1 month 2 days 3 microseconds'", "string", '"1 month 2 days 00:00:00.000003"'],
  ["uuid '6f7e657f-077d-45db-a369-b7889c3ffc9b'", "string", '"6f7e657f-077d-45db-a369-b7889c3ffc9b"'],
  ["'\\xFF\\x00a'::blob", "string", '"/wBh"'],
  ["'101'::bit", "string", '"101"'],
  ["'b'::enum('a', 'b')", "string", '"b"'],
  ["[1, null, 9007199254740993]", "array", '[1,null,"9007199254740993"]'],
  ["array_value(1.5::float, 2)", "array", "[1.5,2.0]"],
  ["{'a': 1, 'b c': [date '2026-11-20']}", "object", '{"a":1,"b c":["2026-11-20"]}'],
  [
    "{'h': 170141183460469231731687303715884105727::hugeint}",
    "object",
    '{"h":"170141183460469231731687303715884105727"}',
  ],
  ["map {'k': 1, 'l': 2}", "object", '{"k":1,"l":2}'],
  ["map {1: 'x'}", "object", '{"1":"x"}'],
  ["'{\"a\": [1, null]}'::json", "object", '{"a": [1, null]}'],
  ["'[1,]'::json", "object", "[1]"],
  ["'NaN'::json", "object", '"NaN"'],
  ["json_object('a', 'inf'::double)", "object", '{"a":"Infinity"}'],
  [
    "'{\"n\": [12345678901234567890, 1e400, 0.1, 1.5]}'::json",
    "object",
    '{"n":["12345678901234567890","1e400",0.1,1.5]}',
  ],
  ["'{\"__proto__\": 9007199254740993}'::json", "object", '{"__proto__":"9007199254740993"}'],
  ["['[1]'::json, 'null'::json]", "array", "[[1],null]"],
  ["map {'k': {'__proto__': ['{\"a\":1}'::json]}}", "object", '{"k":{"__proto__":[{"a":1}]}}'],
  ["{'__proto__': 1}", "object", '{"__proto__":1}'],
  ["{'__proto__': {'__proto__': 'x'}, 'a': null}", "object", '{"__proto__":{"__proto__":"x"},"a":null}'],
  ["{'a': sum(range), 'b': [7::uhugeint], 'c': map {8::hugeint: 9::bignum}}", "object", '{"a":3,"b":[7],"c":{"8":9}}'],
  ["(1, sum(range))", "object", '{"f1":1,"f2":3}'],
  ["[(1, 'a')]", "array", '[{"f1":1,"f2":"a"}]'],
  ["['x'::variant]", "array", '["x"]'],
  ["[null]", "array", "[null]"],
  ["{'a': null}", "object", '{"a":null}'],
  ["union_value(n := 5)", "object", '{"n":5}'],
];

it("carries every type without losing a digit", async () => {
  const list = values.map(([expression], index) => `${expression} as v${index}`).join(", ");
  const run = await server.run(`select ${list} from range(3)`);
  expect(run.errorMessage).toBeNull();
  const response = await fetch(`${server.url}/json-rpc`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "a key of the tests" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getQueryRunResults", params: [{ queryRunId: run.id }] }),
  });
  const text = await response.text();
  expect(text).toContain(`"rows":[[${values.map(([, , json]) => json).join(",")}]]`);
  expect(JSON.parse(text).result.columnTypes).toEqual(values.map(([, kind]) => kind));
});

it("names the column whose type is internal to the engine", async () => {
  const run = await server.run("select 1 as n, get_type(1) as t");
  expect(run).toMatchObject({
    state: "QUERY_STATE_FAILED",
    errorName: "UnsupportedType",
    errorData: { category: "USER" },
  });
  expect(run.errorMessage).toBe(
    "Unsupported type of the column t: a result cannot store it; cast the column to VARCHAR.",
  );
  expect(await server.rows("select get_type(1)::varchar as t")).toEqual([["INTEGER"]]);
});

describe("an integer that no number of Parquet can hold", () => {
  it("makes all such columns text, whose values are compared as numbers", async () => {
    const { id } = await server.run(`select 170141183460469231731687303715884105727::hugeint - range as n,
      {'u': range::uhugeint} as s from range(9, 11)`);
    const page = await server.results({ queryRunId: id, sortBy: [{ column: "n", direction: "asc" }] });
    expect(page.rows).toEqual([
      ["170141183460469231731687303715884105717", { u: 10 }],
      ["170141183460469231731687303715884105718", { u: 9 }],
    ]);
  });

  it("hides no other fault of the statement", async () => {
    const run = await server.run("select sum(range) as n, 'x'::decimal(38,0) as d from range(2)");
    expect(run).toMatchObject({ errorName: "ConversionError", errorData: { category: "USER", line: 1 } });
  });
});

it("writes JSON with line ends on one line of NDJSON, with its own digits", async () => {
  const { id } = await server.run(
    `select E'{"a":\n1.10}'::json as j, union_value(n := 12345678901234567.80::decimal(20,2)) as u`,
  );
  const { url } = await server.call<{ url: string }>("getQueryRunDownload", { queryRunId: id, format: "ndjson" });
  const text = await (await fetch(url)).text();
  expect(text).toBe('{"j":{"a": 1.10},"u":{"n":"12345678901234567.80"}}\n');
});

it("keeps columns of equal names and of dangerous ones", async () => {
  const run = await server.run(`select 1 as a, 2 as a, 3 as A, 4 as "__proto__", 5 as "constructor", 6 as "a_2"`);
  const page = await server.results({ queryRunId: run.id, format: "json" });
  expect(page.columnNames).toEqual(["a", "a", "a", "__proto__", "constructor", "a_2"]);
  expect(JSON.stringify(page.rows)).toBe('[{"a":1,"a_3":2,"a_4":3,"__proto__":4,"constructor":5,"a_2":6}]');
  expect((await server.results({ queryRunId: run.id })).rows).toEqual([[1, 2, 3, 4, 5, 6]]);
});

it("binds parameters and never reads them as SQL", async () => {
  expect(await server.rows("select ? as a, ? + 1 as b", { parameters: ["'; drop table x; --", 41] })).toEqual([
    ["'; drop table x; --", 42],
  ]);
  expect(await server.rows("select $a as a, $a as a order by 1 limit $n", { parameters: { a: null, n: 1 } })).toEqual([
    [null, null],
  ]);
  expect(await server.rows("select range from range($1) where range > $2", { parameters: [5, 3] })).toEqual([[4]]);
  const missing = await server.run("select $a, $b", { parameters: { a: 1, c: 2 } });
  expect(missing).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: "ParameterError" });
  expect(missing.errorMessage).toContain("no value for $b; the statement has no parameter $c");
});
