import { execFileSync, spawnSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { addToSource, loadSource } from "../../src/loading.ts";
import { createLinkedSources } from "../../src/sources/held-data.ts";
import { readDatabases } from "./data.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

let postgres: Postgres;
let dataDir: string;
beforeAll(async () => {
  [postgres, dataDir] = await Promise.all([startPostgres(), temporaryDirectory()]);
});
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

async function read(source: string, query: string): Promise<readonly (readonly unknown[])[]> {
  const path = join(dataDir, "sources", source);
  const sources = createLinkedSources(join(dataDir, "links"));
  const held = await sources.hold({ name: source, provider: "test", kind: "duckdb", path, lowerCaseColumns: false });
  const rows = await readDatabases(held.databases, query);
  await held.release();
  return rows;
}

it("loads each type without losing a digit", async () => {
  await postgres.run(
    `CREATE TABLE kinds (b boolean, s smallint, i integer, l bigint, r real, d double precision, n numeric, p numeric(20,3), x numeric,
       t text, c varchar(9), dt date, ts timestamp, tz timestamptz(3), ti time, u uuid, j jsonb, a integer[], y bytea, iv interval, e inet)`,
    `INSERT INTO kinds VALUES (true, 1, 2, 9007199254740993, 0.1, 1e300, 12345678901234567890.12, 1.5, 'NaN', '', E'a,"b"\\n', '2026-11-20',
       '2026-11-20 09:30:00.5', '2026-11-20 09:30:00+02', '09:30', '6f7e657f-077d-45db-a369-b7889c3ffc9b', '{"k": [1]}', '{1,2}',
       '\\xff00', '1 month 2 days 03:00', '10.0.0.1')`,
    "INSERT INTO kinds (d, n) VALUES ('Infinity', -0.5)",
  );
  await addToSource({ dataDir, source: "kinds" }, { from: postgres.url, table: "kinds" });
  const types = await read("kinds", "SELECT string_agg(column_type, ' ') FROM (DESCRIBE kinds)");
  expect(types).toEqual([
    [
      "BOOLEAN SMALLINT INTEGER BIGINT FLOAT DOUBLE DECIMAL(22,2) DECIMAL(20,3) VARCHAR VARCHAR VARCHAR DATE TIMESTAMP " +
        "TIMESTAMP WITH TIME ZONE TIME UUID JSON JSON BLOB INTERVAL VARCHAR",
    ],
  ]);
  const rows = await read("kinds", "SELECT COLUMNS(*)::VARCHAR FROM kinds");
  expect(rows[0]).toEqual([
    "true",
    "1",
    "2",
    "9007199254740993",
    "0.1",
    "1e+300",
    "12345678901234567890.12",
    "1.500",
    "NaN",
    "",
    'a,"b"\n',
    "2026-11-20",
    "2026-11-20 09:30:00.5",
    expect.stringContaining("2026-11-20"),
    "09:30:00",
    "6f7e657f-077d-45db-a369-b7889c3ffc9b",
    '{"k": [1]}',
    "[1,2]",
    "\\xFF\\x00",
    "1 month 2 days 03:00:00",
    "10.0.0.1",
  ]);
  expect(rows[1]?.slice(3, 10)).toEqual([null, null, "inf", "-0.50", null, null, null]);
});

it("loads far dates, mixed intervals and byte order marks, and names the column of a value that the engine lacks", async () => {
  await postgres.run(
    "CREATE TABLE marks (t text)",
    "INSERT INTO marks VALUES ('\uFEFF'), ('a')",
    "CREATE TABLE far (d date, ts timestamp, tz timestamptz, iv interval)",
    `INSERT INTO far VALUES ('0044-03-15 BC', '0044-03-15 12:00:00.5 BC', '4713-01-01 BC', '1 mon -2 days +03:04:05'),
       ('5874897-12-31', '290000-01-01', '0001-12-31 23:59:59.999999 BC', '-1 year -2 mons +3 days -04:05:06.789'),
       ('infinity', '-infinity', 'infinity', '00:00:00')`,
    "CREATE TABLE beyond (id int, at timestamp)",
    "INSERT INTO beyond VALUES (1, '294276-12-31')",
  );
  await addToSource({ dataDir, source: "marks" }, { from: postgres.url, table: "marks" });
  expect(await read("marks", "SELECT len(t)::INT, t = chr(65279) FROM marks")).toEqual([
    [1, true],
    [1, false],
  ]);
  await addToSource({ dataDir, source: "far" }, { from: postgres.url, table: "far" });
  expect(await read("far", "SELECT COLUMNS(*)::VARCHAR FROM far")).toEqual([
    ["0044-03-15 (BC)", "0044-03-15 (BC) 12:00:00.5", "4713-01-01 (BC) 00:00:00+00", "1 month -2 days 03:04:05"],
    [
      "5874897-12-31",
      "290000-01-01 00:00:00",
      "0001-12-31 (BC) 23:59:59.999999+00",
      "-1 year -2 months 3 days -04:05:06.789",
    ],
    ["infinity", "-infinity", "infinity", "00:00:00"],
  ]);
  const beyond = { from: postgres.url, table: "beyond" };
  await expect(addToSource({ dataDir, source: "beyond" }, beyond)).rejects.toThrow(
    /^Column at of the table public.beyond of PostgreSQL: .*294276-12-31.*; load it as text with --type at=VARCHAR$/,
  );
  await addToSource({ dataDir, source: "beyond" }, { ...beyond, types: { at: "VARCHAR" } });
  expect(await read("beyond", "FROM beyond")).toEqual([[1, "294276-12-31 00:00:00"]]);
});

const lacksPsql = spawnSync("psql", ["--version"]).error !== undefined;

it.skipIf(lacksPsql)("loads the times that psql shows, unless the machine lacks psql", async () => {
  // From the year 4713 BC to the year 14,000, in steps that are more often small around the year 1.
  const days = "greatest(-1720000, ((random() - 0.5) * power(10, 1 + random() * 6))::int)";
  const moment = `timestamp '0001-01-01' + make_interval(days => ${days}, secs => round((random() * 86400)::numeric, (random() * 6)::int)::float8)`;
  const part = (size: number): string => `((random() - 0.5) * power(10, random() * ${size}))::int`;
  await postgres.run(
    `CREATE TABLE times AS SELECT i, date '0001-01-01' + ${days} AS d, ${moment} AS ts, (${moment}) AT TIME ZONE 'UTC' AS tz,
       make_interval(months => ${part(5)}, days => ${part(6)}, secs => ${part(7)} + round(random()::numeric, (random() * 6)::int)::float8) AS iv
     FROM generate_series(1, 3000) i`,
    "INSERT INTO times VALUES (0, 'infinity', '-infinity', 'infinity', '-1 mon'), (3001, NULL, NULL, NULL, NULL)",
  );
  const sql = "SET TimeZone = 'UTC'; SELECT d, ts, tz, iv FROM times ORDER BY i";
  const shown = execFileSync("psql", [postgres.url, "-qAtX", "-F", "|", "-P", "null=NULL", "-c", sql], {
    encoding: "utf8",
    env: { ...process.env, PGPASSWORD: process.env.PGPASSWORD ?? "" },
  });
  await addToSource({ dataDir, source: "times" }, { from: postgres.url, table: "times" });
  const loaded = await read("times", "SELECT COLUMNS(* EXCLUDE (i))::VARCHAR FROM times ORDER BY i");
  // The two write an era, a plural and a plus in their own ways.
  const inOneForm = (text: string): string =>
    text
      .replace(/^(\S+) \(BC\)(.*)$/, "$1$2 BC")
      .replaceAll(/(year|mon|day)(th)?s?\b/g, "$1")
      .replaceAll("+", "");
  expect(loaded.map((row) => row.map((text) => inOneForm(String(text ?? "NULL"))).join("|"))).toEqual(
    shown.trimEnd().split("\n").map(inOneFormOfEach),
  );
  expect(loaded).toHaveLength(3002);
  expect(shown.match(/ BC/g)?.length).toBeGreaterThan(1000);

  function inOneFormOfEach(line: string): string {
    return line.split("|").map(inOneForm).join("|");
  }
});

it("loads the columns of --type exactly in that type, or names the column", async () => {
  await postgres.run(
    "CREATE TABLE typed (n numeric, d date, a int[])",
    "INSERT INTO typed VALUES (1.0, '0044-03-15 BC', '{1,2}')",
  );
  const from = { from: postgres.url, table: "typed" };
  await addToSource({ dataDir, source: "typed" }, { ...from, types: { n: "BIGINT", d: "TIMESTAMP", a: "VARCHAR" } });
  expect(await read("typed", "SELECT n::INT, typeof(n), d::VARCHAR, a FROM typed")).toEqual([
    [1, "BIGINT", "0044-03-15 (BC) 00:00:00", "{1,2}"],
  ]);
  await postgres.run("INSERT INTO typed VALUES (1.5)");
  await expect(loadSource({ dataDir, source: "typed" })).rejects.toThrow(
    "Column n of the table public.typed of PostgreSQL: not exactly a BIGINT: 1.5; load it as text with --type n=VARCHAR",
  );
});

it("loads a schema in one transaction, and reloads it", async () => {
  await postgres.run(
    "CREATE SCHEMA crm",
    "CREATE TABLE crm.people AS SELECT i AS id FROM generate_series(1, 1000) i",
    "CREATE VIEW crm.twice AS SELECT id * 2 AS id FROM crm.people",
  );
  const place = { dataDir, source: "crm" };
  expect((await addToSource(place, { from: postgres.url, schema: "crm", as: "people" })).name).toBe("crm.people");
  const counts = "SELECT (SELECT count(*)::INT FROM people.people), (SELECT max(id) FROM people.twice)";
  expect(await read("crm", counts)).toEqual([[1000, 2000]]);
  await postgres.run("INSERT INTO crm.people VALUES (5000)", "DROP VIEW crm.twice", "CREATE TABLE crm.more (n int)");
  await loadSource(place);
  expect(await read("crm", "SELECT string_agg(table_name, ' ' ORDER BY table_name) FROM duckdb_tables()")).toEqual([
    ["more people"],
  ]);
  expect(await read("crm", "SELECT count(*)::INT FROM people.people")).toEqual([[1001]]);
});

it("reports errors of PostgreSQL", async () => {
  const place = { dataDir, source: "wrong" };
  await expect(addToSource(place, { from: postgres.url, table: "nope" })).rejects.toThrow(
    "Table not found: public.nope",
  );
  await expect(addToSource(place, { from: postgres.url.replace(/\d+\/postgres$/, "1/x") })).rejects.toMatchObject({
    name: "SourceError",
    message: expect.stringContaining("ECONNREFUSED"),
  });
});
