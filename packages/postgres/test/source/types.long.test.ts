import type { Parameters } from "@quern/query-run/record";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnSource, openParts, type Parts, resultOf, sourceOf } from "./fixture.ts";

/** Expression, the type that callers see, and the value in a page. */
const values: readonly (readonly [sql: string, type: string, value: unknown])[] = [
  ["1.50::numeric", "numeric: string", "1.50"],
  ["123456789012345678901234567890.5::numeric", "numeric: string", "123456789012345678901234567890.5"],
  ["'NaN'::numeric", "numeric: string", "NaN"],
  ["1.5::numeric(10,2)", "numeric(10,2): number", 1.5],
  ["1.5::numeric(40,2)", "numeric(40,2): string", "1.50"],
  ["1500::numeric(2,-3)", "numeric(2,-3): string", "2000"],
  ["9223372036854775807::int8", "bigint: number", "9223372036854775807"],
  ["4294967295::oid", "oid: number", 4294967295],
  ["0.1::float8", "double precision: number", 0.1],
  ["'2026-11-22 12:00:00.123456+02'::timestamptz", "timestamp with time zone: date", "2026-11-22T10:00:00.123456Z"],
  ["'2026-11-22 12:00'::timestamp(3)", "timestamp(3) without time zone: date", "2026-11-22T12:00:00.000Z"],
  ["'infinity'::date", "date: date", "infinity"],
  ["'-infinity'::timestamp", "timestamp without time zone: date", "-infinity"],
  ["'0044-03-15 BC'::date", "date: date", "-000043-03-15"],
  ["'12:30:00.5'::time", "time without time zone: string", "12:30:00.5"],
  ["'1 year 2 mons -3 days 04:05:06.789'::interval", "interval: string", "1 year 2 months -3 days 04:05:06.789"],
  ["'-00:00:01'::interval", "interval: string", "-00:00:01"],
  ["'{\"a\": 12345678901234567890.10}'::jsonb", "jsonb: object", { a: "12345678901234567890.10" }],
  ["'null'::json", "json: object", null],
  ["decode('00ff', 'hex')", "bytea: string", "AP8="],
  ["repeat('x', 100)::bytea", "bytea: string", Buffer.from("x".repeat(100)).toString("base64")],
  ["''::bytea", "bytea: string", ""],
  ["'[1,5)'::int4range", "int4range: string", "[1,5)"],
  [
    "array[[1,2],[3,4]]",
    "integer[]: array",
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ["array['a', NULL, 'b,\"c']", "text[]: array", ["a", null, 'b,"c']],
  ["'{}'::text[]", "text[]: array", []],
  [
    "array[1.10, NULL, 123456789012345678901234567890.50, 'NaN']::numeric[]",
    "numeric[]: array",
    [1.1, null, "123456789012345678901234567890.50", "NaN"],
  ],
  ["array[[1.10, 12345678901234567890.10]]::numeric[]", "numeric[]: array", [[1.1, "12345678901234567890.10"]]],
  [
    `array['{"a": 12345678901234567890.10}', 'null', '"null"']::jsonb[]`,
    "jsonb[]: array",
    [{ a: "12345678901234567890.10" }, null, "null"],
  ],
  ["array[row(12345678901234567890.10, 'a')]", "record[]: array", [{ f1: "12345678901234567890.10", f2: "a" }]],
  ["array['null', '1.0', ' a']", "text[]: array", ["null", "1.0", " a"]],
  ["NULL::numeric[]", "numeric[]: array", null],
  ["row(1, 'a', NULL)", "record: object", { f1: 1, f2: "a", f3: null }],
  ["row(1, 'a')::pair", "pair: object", { n: 1, label: "a" }],
  [
    "array[row('2026-11-22 12:00+02', '\\x00ff', '{0044-03-15 BC,infinity}', '{{2026-11-22 12:00:00.1234},{NULL}}')::moments, NULL]",
    "moments[]: array",
    [
      {
        at: "2026-11-22T10:00:00.000Z",
        'a "b"': "AP8=",
        days: ["-000043-03-15", "infinity"],
        times: [["2026-11-22T12:00:00.1234Z"], [null]],
      },
      null,
    ],
  ],
  [
    "'{12026-01-02 03:04:05+00,NULL}'::timestamptz[]",
    "timestamp with time zone[]: array",
    ["+012026-01-02T03:04:05.000Z", null],
  ],
  [
    "array['\\x00ff', repeat('x', 100)::bytea]",
    "bytea[]: array",
    ["AP8=", Buffer.from("x".repeat(100)).toString("base64")],
  ],
  ["'{{{1 mon},{-1 year 2 days}}}'::interval[]", "interval[]: array", [[["1 month"], ["-1 year 2 days"]]]],
  ["'{5874897-12-31}'::date[]", "date[]: array", ["+5874897-12-31"]],
  ["'{}'::bytea[]", "bytea[]: array", []],
  ["'1 mon -2 days +03:04:05'::interval", "interval: string", "1 month -2 days 03:04:05"],
  ["row(NULL, NULL, NULL, NULL)::moments", "moments: object", { at: null, 'a "b"': null, days: null, times: null }],
  ["'red'::colour", "colour: string", "red"],
  ["12.5::price", "numeric(10,2): number", 12.5],
  ["'10.0.0.0/8'::inet", "inet: string", "10.0.0.0/8"],
  ["'a  '::char(3)", "character(3): string", "a  "],
  ["E'line\\nbreak,\"quoted\"'", "text: string", 'line\nbreak,"quoted"'],
  ["'00000000-0000-0000-0000-00000000000a'::uuid", "uuid: string", "00000000-0000-0000-0000-00000000000a"],
  ["B'101'", '"bit": string', "101"],
];

await describeOnSource("values of PostgreSQL", (postgres) => {
  let parts: Parts;
  beforeAll(async () => {
    await postgres.run(
      "CREATE TYPE colour AS ENUM ('red', 'green')",
      "CREATE TYPE pair AS (n int, label text)",
      `CREATE TYPE moments AS (at timestamptz, "a ""b""" bytea, days date[], times timestamp[])`,
      "CREATE DOMAIN amount AS numeric(10,2)",
      "CREATE DOMAIN price AS amount CHECK (value > 0)",
    );
    parts = await openParts();
  });
  afterAll(() => parts.close());

  it("keeps each value, under the name of its type", async () => {
    const sql = `SELECT ${values.map(([expression]) => expression).join(", ")}`;
    const { types, rows } = await resultOf(parts, sourceOf(postgres), sql);
    const [row = []] = rows;
    expect(values.map(([expression], index) => [expression, types[index], row[index]])).toEqual(values);
  });

  it("keeps NULLs and empty texts in a result of one column", async () => {
    const sql = "SELECT v FROM (VALUES (NULL), (''), ('a'), (NULL)) AS t(v)";
    expect((await resultOf(parts, sourceOf(postgres), sql)).rows).toEqual([[null], [""], ["a"], [null]]);
  });

  it.each([[undefined], [[1_000]]])(
    "counts the rows, of which the last has 9 MB (parameters: %j)",
    async (parameters) => {
      const last = parameters === undefined ? "1000" : "$1::int";
      const sql = `SELECT '\uFEFF' || i, CASE WHEN i = ${last} THEN repeat('x', 9000000) ELSE 'a' END FROM generate_series(1, 1000) i`;
      const { rows } = await resultOf(parts, sourceOf(postgres), sql, parameters === undefined ? {} : { parameters });
      expect(rows.map(([n, text]) => [n, String(text).length])).toEqual(
        Array.from({ length: 1_000 }, (_, n) => [`\uFEFF${n + 1}`, n === 999 ? 9_000_000 : 1]),
      );
    },
  );

  it("binds parameters by position and by name, as values and never as SQL", async () => {
    const source = sourceOf(postgres);
    const hostile = "'); DROP TABLE x; --\\";
    const positional = { parameters: [hostile, 9007199254740993n.toString(), null] };
    const byPosition = await resultOf(parts, source, "SELECT $1::text, $2::bigint + 1, $3::date", positional);
    expect(byPosition.rows).toEqual([[hostile, "9007199254740994", null]]);
    const shown = [
      "+012026-01-02",
      "-000043-03-15",
      "0000-03-15",
      "+012026-01-02T03:04:05.000Z",
      "-000043-03-15T03:04:05.000Z",
    ];
    const dates = "SELECT $1::date, $2::date, $3::date, $4::timestamp, $5::timestamptz";
    expect((await resultOf(parts, source, dates, { parameters: shown })).rows).toEqual([shown]);
    const exact = { parameters: [{ exactNumber: "9007199254740993" }, { exactNumber: "12345678901234567.89" }] };
    const numbers = await resultOf(parts, source, "SELECT $1::bigint, $2::numeric", exact);
    expect(numbers.rows).toEqual([["9007199254740993", "12345678901234567.89"]]);
    const zeros = { parameters: [{ exactNumber: "-0.0" }, { exactNumber: "-0.0" }, 0.1] };
    const zero = await resultOf(parts, source, "SELECT $1::float8, $2::int, $3::numeric(38,38)::text", zeros);
    expect(zero.rows).toEqual([[-0, 0, `0.1${"0".repeat(37)}`]]);
    const named = { parameters: { name: hostile, tags: { a: [1] } } };
    const byName = await resultOf(parts, source, "SELECT $name::text || '$name', $tags::jsonb, $$ $name $$", named);
    expect(byName.rows).toEqual([[`${hostile}$name`, { a: [1] }, " $name "]]);
    const marks = await resultOf(parts, source, "SELECT ?::int + ?::int, '?'", { parameters: [1, 2] });
    expect(marks.rows).toEqual([[3, "?"]]);
    const operator = await resultOf(parts, source, `SELECT '{"a": 1}'::jsonb ? 'a'`);
    expect(operator.rows).toEqual([[true]]);
    await expect(resultOf(parts, source, "SELECT $1::int", { parameters: [1, 2] })).rejects.toMatchObject({
      failure: { name: "ParameterError", message: "Invalid parameters: the statement has no parameter $2." },
    });
  });

  it("fails a statement with a row or an error that takes too much memory", async () => {
    for (const sql of ["SELECT repeat('a', $1::int)", "SELECT repeat('a', $1::int)::int"])
      await expect(resultOf(parts, sourceOf(postgres), sql, { parameters: [20_000_000] }), sql).rejects.toMatchObject({
        failure: { name: "ResultTooLarge", data: { category: "RESOURCE", retryable: false } },
      });
  });

  it("describes the columns and parameters of a statement without executing it", async () => {
    const source = sourceOf(postgres);
    const data = await parts.kind.hold(source);
    const caller = { tenantId: "t", userId: "ada", parameters: null, data, source };
    const sql = "SELECT 1 / ($n::int - $n) AS q, $n + 1 AS n";
    expect(await parts.kind.describe({ ...caller, sql }, new AbortController().signal)).toMatchObject({
      columns: [
        { name: "q", kind: "number", engineType: "integer" },
        { name: "n", kind: "number", engineType: "integer" },
      ],
      parameters: [{ name: "n", type: "integer" }],
    });
  });

  it("reports where an error is in the statement of the caller, whose parameters have other texts", async () => {
    const errorOf = async (sql: string, parameters: Parameters) => {
      const { failure } = await resultOf(parts, sourceOf(postgres), sql, { parameters }).catch((error) => error);
      return [failure.name, failure.data.position];
    };
    expect(await errorOf("SELECT $1::int, colour;", [1])).toEqual(["UndefinedColumn", 16]);
    expect(await errorOf("SELECT colour, $amount::int", { amount: 1 })).toEqual(["UndefinedColumn", 7]);
    expect(await errorOf("SELECT $amount::int, '😀', colour", { amount: 1 })).toEqual(["UndefinedColumn", 27]);
    expect(await errorOf("SELECT ?::int + ?::int, colour", [1, 2])).toEqual(["UndefinedColumn", 24]);
    const invalid = resultOf(parts, sourceOf(postgres), "SELECT 1, $amount::int", { parameters: { amount: "many" } });
    await expect(invalid).rejects.toMatchObject({
      failure: {
        name: "DataError",
        message: 'Value of $amount: invalid input syntax for type integer: "many" (SQLSTATE 22P02)',
      },
    });
  });

  it("delivers the same values with parameters as without", async () => {
    const sql = `SELECT ${values.map(([expression]) => expression).join(", ")}, NULL::text, ''`;
    const plain = await resultOf(parts, sourceOf(postgres), `${sql} FROM generate_series(1, 20000)`);
    const bound = await resultOf(parts, sourceOf(postgres), `${sql} FROM generate_series(1, $1)`, {
      parameters: [20_000],
    });
    expect(bound).toEqual(plain);
  });

  it("keeps the order of a statement, and reports where an error is", async () => {
    const source = sourceOf(postgres);
    const sorted = await resultOf(parts, source, "SELECT n FROM generate_series(1, 50000) n ORDER BY n DESC; -- all");
    expect(sorted.rows.slice(0, 2)).toEqual([[50_000], [49_999]]);
    await expect(resultOf(parts, source, "SELECT '😀', colour")).rejects.toMatchObject({
      failure: { name: "UndefinedColumn", data: { category: "USER", position: 13 } },
    });
  });
});
