import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { addToSource, loadSource } from "../../src/loading.ts";
import { holdData } from "../../src/sources/held-data.ts";
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
  const held = await holdData(
    { name: source, provider: "test", kind: "duckdb", path, lowerCaseColumns: false },
    join(dataDir, "links"),
  );
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
    ...[
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
    ],
    ...["2026-11-20", "2026-11-20 09:30:00.5", expect.stringContaining("2026-11-20"), "09:30:00"],
    ...[
      "6f7e657f-077d-45db-a369-b7889c3ffc9b",
      '{"k": [1]}',
      "[1,2]",
      "\\xFF\\x00",
      "1 month 2 days 03:00:00",
      "10.0.0.1",
    ],
  ]);
  expect(rows[1]?.slice(3, 10)).toEqual([null, null, "inf", "-0.50", null, null, null]);
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
