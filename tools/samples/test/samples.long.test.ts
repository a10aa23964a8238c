import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadSamples } from "../src/samples.ts";
import { sampleTables } from "../src/tables.ts";

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "quern-samples-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

it("loads the tables once, whole, and into their place at once", async () => {
  const { path, loaded } = await loadSamples(dataDir);
  expect({ path, loaded }).toEqual({ path: join(dataDir, "sources", "samples.duckdb"), loaded: true });
  expect(await readdir(join(dataDir, "sources"))).toEqual(["samples.duckdb"]);
  const { mtimeMs } = await stat(path);
  expect(await loadSamples(dataDir)).toEqual({ path, loaded: false });
  expect((await stat(path)).mtimeMs).toBe(mtimeMs);
});

it("leaves nothing behind when it fails", async () => {
  const broken = join(dataDir, "broken");
  const table = {
    name: "t",
    comment: "",
    file: "cars.json",
    reader: "no_such_reader($file)",
    columns: "*",
    orderBy: "1",
  };
  await expect(loadSamples(broken, [table])).rejects.toThrow("no_such_reader");
  expect(await readdir(join(broken, "sources"))).toEqual([]);
});

it("has clean names, real dates, and a table of more than 200,000 rows", async () => {
  const { path } = await loadSamples(dataDir);
  expect(existsSync(`${path}.wal`)).toBe(false);
  const instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  const columns = await rows(
    "select table_name, column_name, data_type from duckdb_columns() where not internal and schema_name = 'main'",
  );
  for (const [, name] of columns) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
  const types = Object.fromEntries(columns.map(([table, name, type]) => [`${table}.${name}`, type]));
  expect(types).toMatchObject({
    "cars.year": "DATE",
    "stocks.date": "DATE",
    "movies.release_date": "DATE",
    "flights.date": "TIMESTAMP",
  });
  expect(new Set(columns.map(([table]) => table))).toEqual(new Set(sampleTables.map(({ name }) => name)));
  expect(await rows("select count(*) from flights")).toEqual([["3000000"]]);
  expect(await rows("select origin, count(*) as cars from cars group by origin order by cars desc")).toEqual([
    ["USA", "254"],
    ["Japan", "79"],
    ["Europe", "73"],
  ]);
  connection.closeSync();
  instance.closeSync();
});
