import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Postgres, startPostgres } from "../../../duckdb/test/sources/postgres.ts";
import { isRefusedName } from "../../src/source/refused-names.ts";
import { execute } from "../store/fixture.ts";
import { harmlessFunctions, harmlessViews } from "./harmless-names.ts";

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
});
