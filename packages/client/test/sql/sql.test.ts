import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "@quern/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import {
  type Client,
  createClient,
  identifier,
  list,
  query,
  type SqlFragment,
  type SqlValue,
  sql,
  sqlText,
} from "../../src/index.ts";

describe("sql", () => {
  it("sends values as parameters", () => {
    const hostile = "'; drop table cars; --";
    expect({ ...sql`select * from cars where origin = ${hostile} and year > ${1970}` }).toMatchObject({
      sql: "select * from cars where origin = $1 and year > $2",
      parameters: [hostile, 1970],
    });
  });

  it("nests other fragments with their values in order", () => {
    const filter = sql`origin = ${"Japan"}`;
    expect(sql`select * from ${identifier("main", 'a"b')} where ${filter} and n = ${1}`).toMatchObject({
      sql: 'select * from "main"."a""b" where origin = $1 and n = $2',
      parameters: ["Japan", 1],
    });
  });

  it("casts dates and integers beyond 2^53 to their types", () => {
    const values = sql`${new Date(0)}, ${2n ** 53n + 1n}, ${-(2n ** 63n)}, ${2n ** 63n}, ${3n}, ${null}, ${true}`;
    expect(values.sql).toBe(
      "CAST($1 AS TIMESTAMP), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS HUGEINT), $5, $6, $7",
    );
    expect(values.parameters).toEqual([
      "1970-01-01 00:00:00.000",
      "9007199254740993",
      "-9223372036854775808",
      "9223372036854775808",
      3,
      null,
      true,
    ]);
  });

  it.each<[string, unknown, string]>([
    ["undefined", undefined, "undefined is not supported: value 2; pass null for NULL"],
    ["NaN", Number.NaN, 'NaN is not supported: value 2; pass "NaN" and cast it: CAST(… AS DOUBLE)'],
    ["infinity", -Infinity, 'pass "-Infinity" and cast it: CAST(… AS DOUBLE)'],
    ["a large integer", 2n ** 127n, "integers beyond 128 bits are not supported: value 2; pass the integer as text"],
    [
      "no date",
      new Date(Number.NaN),
      "beyond the years 0 to 9999 are not supported: value 2; pass a valid date, or text",
    ],
    ["a far date", new Date(8e15), "dates that are invalid or beyond the years 0 to 9999 are not supported"],
    ["an array", ["USA", "Japan"], "arrays are not supported: value 2; use list([…]) after IN, or a value for each"],
    ["bytes", new Uint8Array(2), "bytes (Uint8Array) are not supported: value 2; pass base64 text to from_base64(…)"],
    [
      "a Temporal",
      { [Symbol.toStringTag]: "Temporal.Instant" },
      "pass String(value) and cast it to its SQL type, e.g. CAST(… AS TIMESTAMP)",
    ],
    ["a promise", Promise.resolve(1), "promises are not supported: value 2; await the value first"],
    ["an object", { a: 1 }, "objects are not supported: value 2; pass JSON.stringify(value)"],
    [
      "a map",
      new Map(),
      "objects (Map) are not supported: value 2; pass a string, a number, a boolean, a date or null",
    ],
    ["a symbol", Symbol("x"), "symbols are not supported: value 2"],
  ])("refuses %s, and says what to pass instead", (_name, value, message) => {
    expect(() => sql`${1} ${value as string}`).toThrow(TypeError);
    expect(() => sql`${1} ${value as string}`).toThrow(message);
  });
});

it.each([sql, sqlText])("%o says that it is a template tag when it is called as a function", (tag) => {
  expect(() => tag("select 1" as never)).toThrow(TypeError);
  expect(() => tag("select 1" as never)).toThrow(
    "sql: expected a template: write sql`…`; pass other text as { sql: text }",
  );
});

it.each([
  [["a"], '"a"'],
  [["a", "b.c", 'd"e'], '"a"."b.c"."d""e"'],
])("quotes the identifier %j as %s", (names, expected) => {
  expect(sql`${identifier(...names)}`).toMatchObject({ sql: expected, parameters: [] });
});

describe("list", () => {
  it("writes its values with their types in parentheses", () => {
    expect(sql`a = ${0} and n in ${list(["x", new Date(0), sql`lower(${"Y"})`])}`).toMatchObject({
      sql: "a = $1 and n in ($2, CAST($3 AS TIMESTAMP), lower($4))",
      parameters: [0, "x", "1970-01-01 00:00:00.000", "Y"],
    });
    expect(sqlText`n in ${list(["it's", 2])}`).toBe("n in ('it''s', 2)");
    expect(sqlText`n in ${list([])}`).toBe("n in (SELECT NULL WHERE FALSE)");
  });

  it("refuses NULL, which IN never matches, and values that are not arrays", () => {
    expect(() => list([1, null])).toThrow(
      "NULL is not supported: value 2 of a list; remove it and test for it with IS NULL",
    );
    expect(() => list([null])).toThrow(/^sql: NULL .*: value 1 of a list; remove it .* IS NULL or IS NOT NULL$/);
    expect(() => list([1, null])).toThrow(TypeError);
    expect(() => list([[1] as never])).toThrow("arrays are not supported: value 1 of a list");
    for (const value of [new Set([1]), "ab", undefined]) {
      expect(() => list(value as never)).toThrow(TypeError);
      expect(() => list(value as never)).toThrow("list: expected an array; spread other iterables: list([...values])");
    }
  });
});

describe("values on a service", () => {
  let dataDir: string;
  let server: Awaited<ReturnType<typeof createServer>>;
  let client: Client;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "quern-sql-"));
    const sourceKinds = { duckdb: await oneProcessKind() };
    server = await createServer({ dataDir, apiKey: "a key of the tests", sourceKinds });
    client = createClient({ url: (await server.listen()).url, apiKey: "a key of the tests" });
  });
  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const date = new Date("2024-05-06T07:08:09.123Z");
  const large = 9007199254740993n;
  const times =
    "(values (timestamp '2024-05-06 07:08:09.123'), (timestamp '2024-05-06 07:08:09.124'), (null)) as t (seen)";
  const words = "(values ('a'), ('b'), (null)) as t (word)";
  const cells: readonly [string, (tag: typeof sql | typeof sqlText) => SqlFragment | string, unknown[]][] = [
    ["the month of a date", (tag) => tag`select date_trunc('month', ${date})`, ["2024-05-01T00:00:00.000Z"]],
    ["the time before a date", (tag) => tag`select ${date} - interval 1 day`, ["2024-05-05T07:08:09.123Z"]],
    ["a date and TIMESTAMP", (tag) => tag`select count(*) from ${raw(times)} where seen <= ${date}`, [1]],
    ["a date and TIMESTAMPTZ", (tag) => tag`select timestamptz '2024-05-06 09:08:09.123+02' = ${date}`, [true]],
    ["a date and DATE", (tag) => tag`select date '2024-05-06' < ${date}`, [true]],
    ["a large integer", (tag) => tag`select ${large} + 1`, ["9007199254740994"]],
    ["a negative one", (tag) => tag`select 1 - ${-large}`, ["9007199254740994"]],
    ["a larger one", (tag) => tag`select ${2n ** 100n} + 1`, [String(2n ** 100n + 1n)]],
    ["a range from it", (tag) => tag`select * from range(${large}, ${large + 1n})`, ["9007199254740993"]],
    ["in a list", (tag) => tag`select word from ${raw(words)} where word in ${list(["b", "c"])}`, ["b"]],
    ["not in a list", (tag) => tag`select word from ${raw(words)} where word not in ${list(["b", "c"])}`, ["a"]],
    ["in an empty list", (tag) => tag`select word from ${raw(words)} where word in ${list([])}`, []],
    ["not in an empty list", (tag) => tag`select count(*) from ${raw(words)} where word not in ${list([])}`, [3]],
    ["a date in a list", (tag) => tag`select count(*) from ${raw(times)} where seen in ${list([date])}`, [1]],
  ];

  it.each(cells)("%s", async (_name, statement, expected) => {
    for (const tag of [sql, sqlText]) {
      const written = statement(tag);
      const request = typeof written === "string" ? { sql: written } : written;
      const result = await query(client, { ...request, maxAgeMinutes: 60 });
      expect(result.first.rows).toEqual(expected.map((cell) => [cell]));
    }
  });
});

/** Template tag that returns its text unchanged. */
const raw = (text: string) => sql([text] as unknown as TemplateStringsArray);

describe("sqlText", () => {
  it("writes values as literals", () => {
    expect(sqlText`select ${"it's"}, ${null}, ${1.5}, ${false} from ${identifier("t")}`).toBe(
      `select 'it''s', NULL, 1.5, false from "t"`,
    );
  });

  it("writes dates and large integers so that they keep their types", () => {
    const date = new Date("2024-05-06T07:08:09.123Z");
    expect(sqlText`select ${date}, ${2n ** 63n}, ${-(2n ** 53n) - 1n}`).toBe(
      "select TIMESTAMP '2024-05-06 07:08:09.123', 9223372036854775808, (-9007199254740993)",
    );
  });

  it.each<[SqlValue, string]>([
    [0, "0"],
    [-0, "(0)"],
    [-1.5, "(-1.5)"],
    [1e21, "1e+21"],
    [true, "true"],
    ["", "''"],
    ["-5", "'-5'"],
    ["a''b", "'a''''b'"],
    ["a\\b\\", "('a' || chr(92) || 'b' || chr(92) || '')"],
    [2n ** 53n, "9007199254740992"],
    [-(2n ** 63n) - 1n, "(-9223372036854775809)"],
    [new Date(0), "TIMESTAMP '1970-01-01 00:00:00.000'"],
  ])("writes %o as %s", (value, expected) => {
    expect(sqlText`${value}`).toBe(expected);
  });

  it("writes nested fragments, and the text around them", () => {
    expect(sqlText`a ${sql`b ${1} c`} d ${list([sql`e`, "f"])} g`).toBe("a b 1 c d (e, 'f') g");
    expect(sqlText``).toBe("");
  });

  it("writes no value that becomes a comment or ends its text after a backslash", () => {
    expect(sqlText`select 10-${-5}, ${-0}`).toBe("select 10-(-5), (0)");
    expect(sqlText`select ${"\\' or 1=1 --"}`).toBe("select ('' || chr(92) || ''' or 1=1 --')");
  });
});
