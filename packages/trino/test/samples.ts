import type { SourceTable } from "@quern/adapter";
import type { Sample, SourceKindContext } from "@quern/adapter/contract";

const sample = (
  sql: string,
  kinds: Readonly<Record<string, Sample["columns"][number]["kind"]>>,
  ...rows: unknown[][]
): Sample => ({
  sql,
  columns: Object.entries(kinds).map(([name, kind]) => ({ name, kind })),
  rows,
});

/** Statements of the contract suite for source kinds, in the dialect of every tested Trino. */
export const samples: Pick<SourceKindContext, "samples" | "invalid" | "lateFailure" | "endless" | "manyRows"> = {
  samples: {
    types: sample(
      `SELECT true AS b, 'text' AS s, 42 AS n, DATE '2026-01-02' AS d, ARRAY[1, 2] AS a, CAST(ROW(1, 'x') AS ROW(id integer, name varchar)) AS o,
        JSON '{"a": [1]}' AS j, X'6869' AS bytes, REAL '1.5' AS r, IPADDRESS '10.0.0.1' AS ip, INTERVAL '3' DAY AS i, TIME '01:02:03.123456' AS t,
        UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59' AS u, infinity() AS inf, CAST('ab' AS char(4)) AS c`,
      {
        b: "boolean",
        s: "string",
        n: "number",
        d: "date",
        a: "array",
        o: "object",
        j: "object",
        bytes: "string",
        r: "number",
        ip: "string",
        i: "string",
        t: "string",
        u: "string",
        inf: "number",
        c: "string",
      },
      [
        true,
        "text",
        42,
        "2026-01-02",
        [1, 2],
        { id: 1, name: "x" },
        { a: [1] },
        "aGk=",
        1.5,
        "10.0.0.1",
        "3 00:00:00.000",
        "01:02:03.123456",
        "12151fd2-7586-11e9-8f9e-2a86e4085a59",
        "Infinity",
        "ab  ",
      ],
    ),
    nulls: sample(
      "SELECT NULL AS a, n, CAST(NULL AS row(x integer)) AS o, CAST(NULL AS array(json)) AS l, CAST(NULL AS map(integer, date)) AS m FROM (VALUES 1, NULL) AS t(n)",
      { a: "string", n: "number", o: "object", l: "array", m: "object" },
      [null, 1, null, null, null],
      [null, null, null, null, null],
    ),
    bigNumbers: sample(
      `SELECT 9223372036854775807 AS big, DECIMAL '12345678901234567890123456789012345678' AS wide,
        DECIMAL '0.1234567890123456789' AS fine`,
      { big: "number", wide: "number", fine: "number" },
      ["9223372036854775807", "12345678901234567890123456789012345678", "0.1234567890123456789"],
    ),
    timestamps: sample(
      `SELECT TIMESTAMP '2026-01-02 03:04:05.678901' AS t, TIMESTAMP '2026-01-02 03:04:05.678901 America/New_York' AS z,
        TIMESTAMP '2026-01-02 03:04:05.678901 +05:30' AS o, TIMESTAMP '1500-01-01 00:00:00' AS old, DATE '9999-12-31' AS far,
        TIMESTAMP '2026-01-02 03:04:05.123456789012' AS fine, DATE '12026-01-02' AS later, DATE '-0043-03-15' AS bc,
        TIMESTAMP '-0043-03-15 03:04:05 +05:30' AS bcz, ARRAY[TIMESTAMP '12026-01-02 03:04:05'] AS list`,
      {
        t: "date",
        z: "date",
        o: "date",
        old: "date",
        far: "date",
        fine: "string",
        later: "date",
        bc: "date",
        bcz: "date",
        list: "array",
      },
      [
        "2026-01-02T03:04:05.678901Z",
        "2026-01-02T08:04:05.678901Z",
        "2026-01-01T21:34:05.678901Z",
        "1500-01-01T00:00:00.000Z",
        "9999-12-31",
        "2026-01-02 03:04:05.123456789012",
        "+012026-01-02",
        "-000043-03-15",
        "-000043-03-14T21:34:05.000Z",
        ["+012026-01-02T03:04:05.000Z"],
      ],
    ),
    nested: sample(
      `SELECT ARRAY[ROW(1, ARRAY['a', NULL]), NULL] AS l, MAP(ARRAY['$.a', ''], ARRAY[ROW(9007199254740993, X'6869'), NULL]) AS m,
        MAP(ARRAY[1], ARRAY[JSON '{"k": null}']) AS j, CAST(ROW(1, ROW(DECIMAL '1.50', TIMESTAMP '2026-01-02 03:04:05.678901')) AS
        ROW("a b" integer, "A b" ROW(d decimal(3, 2), t timestamp(6)))) AS r, MAP(ARRAY[ROW(1, 2)], ARRAY[1]) AS k`,
      { l: "array", m: "object", j: "object", r: "object", k: "object" },
      [
        [{ field0: 1, field1: ["a", null] }, null],
        { "$.a": { field0: "9007199254740993", field1: "aGk=" }, "": null },
        { 1: { k: null } },
        { "a b": 1, "A b_1": { d: 1.5, t: "2026-01-02T03:04:05.678901Z" } },
        { "[1, 2]": 1 },
      ],
    ),
    empty: sample("SELECT 1 AS n, ARRAY['x'] AS a WHERE false", { n: "number", a: "array" }),
  },
  invalid: "SELECT nothing FROM nowhere",
  lateFailure: "SELECT 1 / (20000 - orderkey) AS n, comment FROM tpch.tiny.orders",
  endless: "SELECT max(n) FROM TABLE(sequence(start => 1, stop => 1000000000000)) AS t(n)",
  manyRows: (count) =>
    `SELECT n, to_hex(sha1(to_utf8(CAST(n AS varchar)))) AS s FROM TABLE(sequence(start => 1, stop => ${count})) AS t(n)`,
};

/** The type `number` is newer than Trino 476. */
const withNumber = sample(
  `SELECT big.*, NUMBER '1234567890123456789012345678901234567890.5' AS any FROM (${samples.samples.bigNumbers.sql}) AS big`,
  { big: "number", wide: "number", fine: "number", any: "string" },
  [...(samples.samples.bigNumbers.rows[0] ?? []), "1234567890123456789012345678901234567890.5"],
);

/** Returns the statements and tables of the contract suite for a version of Trino. */
export function contractOf(version: string): typeof samples & { readonly tables: readonly SourceTable[] } {
  const isOld = version === "476";
  const columns = [
    { name: "id", kind: "number", engineType: "bigint", nullable: true, comment: "of the place" },
    {
      name: "spot",
      kind: "object",
      engineType: isOld ? "row(x double, y double)" : 'row("x" double, "y" double)',
      nullable: true,
    },
    { name: "at", kind: "date", engineType: "timestamp(6) with time zone", nullable: true },
  ] as const;
  return {
    ...samples,
    samples: isOld ? samples.samples : { ...samples.samples, bigNumbers: withNumber },
    tables: [
      { catalog: "memory", schema: "contract", name: "places", comment: "Places, and when they were seen", columns },
    ],
  };
}

/** Creates the tables of the contract suite, as a user who may write, past the gate of the adapter. */
export async function createTables(host: string): Promise<void> {
  await execute(host, "CREATE SCHEMA IF NOT EXISTS memory.contract");
  await execute(
    host,
    "CREATE TABLE IF NOT EXISTS memory.contract.places (id bigint COMMENT 'of the place', spot row(x double, y double), at timestamp(6) with time zone) COMMENT 'Places, and when they were seen'",
  );
}

/** Executes a statement past the gate of the adapter. */
export async function execute(host: string, sql: string, user = "owner"): Promise<void> {
  const headers = { "x-trino-user": user };
  let response = await fetch(`http://${host}/v1/statement`, { method: "POST", body: sql, headers });
  for (;;) {
    const page = (await response.json()) as { nextUri?: string; error?: { message: string } };
    if (page.error !== undefined) throw new Error(page.error.message);
    if (page.nextUri === undefined) return;
    response = await fetch(page.nextUri);
  }
}

interface QueryInfo {
  readonly state: string;
  readonly errorCode?: { readonly name: string };
  readonly session: object;
}

/** Returns what Trino knows of a query. */
export async function queryInfo(host: string, id: string): Promise<QueryInfo> {
  const response = await fetch(`http://${host}/v1/query/${id}`, { headers: { "x-trino-user": "owner" } });
  return (await response.json()) as QueryInfo;
}

/** Returns the ids of the queries that Trino has not ended. */
export async function unfinishedQueries(host: string): Promise<readonly string[]> {
  const response = await fetch(`http://${host}/v1/query`, { headers: { "x-trino-user": "owner" } });
  const queries = (await response.json()) as readonly { readonly queryId: string; readonly state: string }[];
  return queries.filter(({ state }) => !["FINISHED", "FAILED"].includes(state)).map(({ queryId }) => queryId);
}
