import { existsSync } from "node:fs";
import type { Parameters } from "@quern/query-run/record";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Postgres, startPostgres } from "../../../duckdb/test/sources/postgres.ts";
import { isRefusedName } from "../../src/source/refused-names.ts";
import { execute } from "../store/fixture.ts";
import { openParts, resultOf, sourceOf } from "./fixture.ts";
import { harmlessFunctions, harmlessViews } from "./harmless-names.ts";
import { hostileStatements } from "./hostile-statements.ts";

/** Extensions that need a language which the machine may lack. They only convert values. */
const languages = /pl(?:perl|python|tcl)/;

/** Functions that a statement can call, without those that are declared to do nothing but compute. */
const callable = `
  SELECT DISTINCT p.proname AS name FROM pg_proc p
  WHERE p.provolatile <> 'i' AND p.prokind <> 'p'
    AND NOT EXISTS (SELECT FROM unnest(p.proargtypes) AS a WHERE a = 'internal'::regtype)
    AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype)
    AND NOT EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend))
    AND NOT EXISTS (SELECT FROM pg_operator o WHERE o.oprcode = p.oid)`;

const relations = `
  SELECT DISTINCT relname AS name FROM pg_class
  WHERE relkind IN ('r', 'v', 'm') AND relnamespace <> 'pg_toast'::regnamespace`;

/** Functions that call another one by a value: none, so that the name of one in a string is harmless. */
const callers = `
  SELECT proname AS name FROM pg_proc, unnest(proargtypes) AS a
  WHERE a IN ('regproc'::regtype, 'regprocedure'::regtype) AND proname !~ '^regproc(edure)?(out|send)$'`;

/** Statements that callers send, with the only value of their result. */
const ordinary: readonly (readonly [sql: string, value: unknown, parameters?: Parameters])[] = [
  ["WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 9) SELECT sum(n)::int FROM t", 45],
  ["(SELECT 1) UNION (SELECT 1) ORDER BY 1;", 1],
  ["VALUES ('into; delete from x')", "into; delete from x"],
  ["SELECT $a$it's$a$ || E'\\n' || 'b' /* a /* b */ */ -- c", "it's\nb"],
  [`SELECT '{"a": 1}'::jsonb ? 'a' AND '[1]'::jsonb @> '1'`, true],
  ["SELECT $1::int + $2::int", 5, [2, 3]],
  ["SELECT ?::int + ?::int", 5, [2, 3]],
  ["SELECT upper($name) FROM generate_series(1, $n) LIMIT 1", "ADA", { name: "ada", n: 3 }],
  ["SELECT count(*)::int FROM generate_series(1, 9) AS n WHERE n = ANY($list)", 2, { list: "{1,3,11}" }],
  ["SELECT extract(year FROM date '2026-11-28')::int", 2026],
  ["SELECT max(n) FILTER (WHERE n < 3) OVER () FROM generate_series(1, 5) AS n LIMIT 1", 2],
  ["SELECT lo_orderkey FROM (SELECT 7 AS lo_orderkey) AS lineorder", 7],
  ["SELECT string_agg(t.a, ',' ORDER BY t.a) FROM unnest(array['b', 'a']) AS t(a)", "a,b"],
  ["SELECT substring('abc' FROM 2 FOR 1) || trim(BOTH 'x' FROM 'xdx') || overlay('abc' PLACING 'X' FROM 1)", "bdXbc"],
  [
    "SELECT x.n FROM (SELECT 1 AS n) AS x, LATERAL (SELECT x.n + 1) AS y WHERE 'a' ~ '^[a-z]$' AND NOT 'a' LIKE 'b%'",
    1,
  ],
  ["SELECT pg_typeof(1)::text FROM pg_catalog.pg_class WHERE pg_table_is_visible(oid) LIMIT 1", "integer"],
  ["SELECT count(*)::int FROM information_schema.tables WHERE table_schema = 'none'", 0],
  ["SELECT similarity('word', 'word')::float8", 1],
  ["SELECT encode(digest('a', 'md5'), 'hex')", "0cc175b9c0f1b6a831c399e269772661"],
  ["SELECT 'a=>1'::hstore -> 'a'", "1"],
];

// Needs the binaries of two versions of PostgreSQL, and takes 20 seconds for all of their extensions.
describe.each([
  ["18", undefined],
  ["15", "/usr/lib/postgresql/15"],
])("the names of PostgreSQL %s and its extensions", (version, installation) => {
  const isMissing = installation !== undefined && !existsSync(installation);
  if (isMissing) return void it.skip(`PostgreSQL ${version} is not installed`); // as its name says
  let postgres: Postgres;
  const namesOf = async (sql: string): Promise<readonly string[]> =>
    (await execute(postgres.url, sql)).map(({ name }) => name);
  beforeAll(async () => {
    postgres = await startPostgres({ installation });
    const failed: string[] = [];
    for (const name of await namesOf("SELECT name FROM pg_available_extensions ORDER BY name"))
      await postgres.run(`CREATE EXTENSION IF NOT EXISTS "${name}" CASCADE`).catch(() => failed.push(name));
    expect(failed.filter((name) => !languages.test(name))).toEqual([]);
    expect(await namesOf("SELECT current_setting('server_version') AS name")).toEqual([
      expect.stringMatching(`^${version}\\.`),
    ]);
  }, 120_000);
  afterAll(() => postgres[Symbol.asyncDispose]());

  it("are refused, or known to be harmless", async () => {
    const isUnsorted = (known: ReadonlySet<string>) => (name: string) =>
      !name.startsWith("pg_") && !isRefusedName(name) && !known.has(name);
    const functions = await namesOf(callable);
    expect(functions.length).toBeGreaterThan(500);
    expect(functions.filter(isUnsorted(harmlessFunctions))).toEqual([]);
    expect((await namesOf(relations)).filter(isUnsorted(harmlessViews))).toEqual([]);
    expect(await namesOf(callers)).toEqual([]);
  });

  it("refuses all hostile statements, and runs ordinary ones", async () => {
    await postgres.run("CREATE ROLE quern_reader LOGIN", "CREATE TABLE orders (price int)");
    const parts = await openParts();
    try {
      const source = sourceOf(postgres);
      for (const sql of hostileStatements)
        await expect(resultOf(parts, source, sql), sql).rejects.toMatchObject({
          failure: { name: expect.stringMatching(/^(StatementNotAllowed|ParameterError)$/) },
        });
      for (const [sql, value, parameters = null] of ordinary)
        expect((await resultOf(parts, source, sql, { parameters })).rows, sql).toEqual([[value]]);
    } finally {
      await parts.close();
    }
  });
});
