import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { admit } from "../../src/executor/gate.ts";
import { openEngine } from "../../src/executor/sandbox.ts";
import { inDuckDB } from "../sources/data.ts";

let folder: string;
let connection: DuckDBConnection;
let functions: readonly { readonly name: string; readonly type: string; readonly arity: number }[];
let views: readonly string[];
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "quern-paths-")));
  const path = join(folder, "shop.duckdb");
  await inDuckDB(path, "create table t as select 1 as n", "create view v as from t");
  const engine = await openEngine({
    directory: folder,
    threads: 1,
    memoryMegabytes: 500,
    spillMegabytes: 10,
    isolation: "run",
  });
  ({ connection } = await engine.begin([{ name: "shop", path }], "select 'the caller wrote this'"));
  const signatures = await read(
    "SELECT DISTINCT function_name, function_type, len(parameters) FROM duckdb_functions()",
  );
  functions = signatures.map(([name, type, arity]) => ({
    name: String(name),
    type: String(type),
    arity: Number(arity),
  }));
  const names = await read("SELECT DISTINCT schema_name, view_name FROM duckdb_views() WHERE internal");
  views = names.map(([schema, name]) => `${schema}.${name}`);
});
afterAll(async () => {
  connection.closeSync();
  await rm(folder, { recursive: true, force: true });
});

const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();

/** Returns the rows of a statement as text, or the engine's error message. */
async function outcome(sql: string): Promise<string> {
  try {
    return (await read(sql)).map(String).join("\n");
  } catch (error) {
    return String(error);
  }
}

async function isAdmitted(sql: string): Promise<boolean> {
  return admit(connection, sql).then(
    () => true,
    () => false,
  );
}

/** Returns the statements that show a path of the service, the directory of Node.js or the home directory. */
async function revealing(statements: readonly string[]): Promise<readonly string[]> {
  const paths = [folder, process.execPath, process.cwd(), "/.duckdb"];
  const found: string[] = [];
  for (const sql of statements) {
    const text = await outcome(sql);
    if (paths.some((path) => text.includes(path)) || text.includes("COPY (")) found.push(sql);
  }
  return found;
}

async function admitted(statements: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const sql of statements) if (await isAdmitted(sql)) found.push(sql);
  return found;
}

/** Functions that do not read. Two of them change the engine for all later statements. */
const changing = /^(?:.*_profiling|.*_logging|.*_peg_parser|checkpoint|force_checkpoint|truncate_duckdb_logs)$/;

/** Returns the names of functions of a type with this number of arguments. */
const named = (types: readonly string[], ...arities: readonly number[]): readonly string[] => [
  ...new Set(
    functions
      .filter(({ name, type, arity }) => types.includes(type) && arities.includes(arity) && !changing.test(name))
      .map(({ name }) => `"${name}"`),
  ),
];

it("shows no path by a table function of the engine that is admitted", async () => {
  const statements = named(["table", "table_macro", "pragma"], 0).map((name) => `FROM ${name}()`);
  expect(statements.length).toBeGreaterThan(30);
  // Without the gate the engine does show paths.
  expect(await revealing(statements)).toContain('FROM "duckdb_databases"()');
  expect(await revealing(await admitted(statements))).toEqual([]);
});

it("shows no path by a view of the engine that is admitted", async () => {
  const statements = views.map((view) => `FROM ${view}`);
  expect(statements.length).toBeGreaterThan(40);
  expect(await revealing(statements)).toContain("FROM main.duckdb_databases");
  const open = await admitted(statements);
  expect(open).toContain("FROM information_schema.tables");
  expect(await revealing(open)).toEqual([]);
});

it("shows no path by a scalar function or a macro that is admitted", async () => {
  const statements = [
    ...named(["scalar", "macro"], 0).flatMap((name) => [`SELECT ${name}()`, `SELECT system.main.${name}()`]),
    // A function with one text could read settings. The value of this setting is a path.
    ...named(["scalar", "macro"], 1).map((name) => `SELECT ${name}('temp_directory')`),
  ];
  expect(statements.length).toBeGreaterThan(300);
  expect(await revealing(statements)).toContain("SELECT \"current_setting\"('temp_directory')");
  const open = await admitted(statements);
  expect(open).toContain('SELECT "current_query"()');
  expect(open).not.toContain('SELECT system.main."current_query"()');
  expect(await revealing(open)).toEqual([]);
});

it("shows no path by SHOW, DESCRIBE and EXPLAIN, nor by a mistake", async () => {
  const statements = [
    "SHOW",
    "SHOW DATABASES",
    "SHOW SCHEMAS",
    "SHOW ALL TABLES",
    "DESCRIBE",
    "SHOW VARIABLES",
    "DESCRIBE t",
    ...["text", "json", "html", "yaml", "graphviz", "mermaid"].flatMap((format) => [
      `EXPLAIN (FORMAT ${format}) FROM t, v`,
      `EXPLAIN (ANALYZE, FORMAT ${format}) FROM t, v`,
    ]),
    "FROM 'x.parquet'",
    "FROM 'shop.duckdb'",
    "FROM '~/x.csv'",
    "SELECT st_point(1, 2)",
    "SELECT 'x'::inet",
    "FROM nope",
    "SELECT 'x' COLLATE nope",
    "FROM shop.nope",
    "FROM 'https://example.com/x.parquet'",
    "LOAD httpfs",
    "EXPORT DATABASE 'x'",
    "IMPORT DATABASE 'x'",
    "FROM glob('*')",
  ];
  expect(await revealing(statements)).toEqual([]);
  // The home directory of the engine is the directory of the process, which errors must not name.
  expect(await outcome("INSTALL httpfs")).toContain(folder);
});
