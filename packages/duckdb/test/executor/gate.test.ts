import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { admit } from "../../src/executor/gate.ts";
import { type Engine, openEngine, type Sandbox } from "../../src/executor/sandbox.ts";
import { inDuckDB } from "../sources/data.ts";

async function newEngine(): Promise<Engine> {
  const directory = await mkdtemp(join(tmpdir(), "quern-gate-"));
  return openEngine({ directory, threads: 1, memoryMegabytes: 200, spillMegabytes: 10, isolation: "run" });
}

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await (await newEngine()).begin([], "");
});

describe("the gate", () => {
  it.each([
    "select 1",
    "select 1; -- done",
    "values (1)",
    "from range(3)",
    "with recursive t(n) as (select 1 union all select n + 1 from t where n < 5) select * from t",
    "select unnest([1, 2]), * from generate_series(1, 3)",
    "unpivot (select 1 as a, 2 as b) on a, b",
    "describe select 1 as n",
    "summarize select 1 as n",
    "show tables",
    "select j.value from json_each('[1]') j",
    "select table_name, column_name from information_schema.columns",
    "pivot (select 1 as a, 2 as b) on a using sum(b)",
    "with p as (pivot (select 'x' as query, 1 as n) on query using sum(n)) select * from p",
    "explain select 1",
    "explain analyze pivot (select 1 as a, 2 as b) on a using sum(b)",
    "select current_query()",
    "select relname from pg_class union all select table_name from duckdb_tables",
  ])("admits a statement that reads: %s", async (sql) => {
    await expect(admit(sandbox.connection, sql)).resolves.toBeDefined();
  });

  it.each([
    "insert into t values (1)",
    "create table t (a int)",
    "attach 'x.db'",
    "copy (select 1) to 'x'",
    "set threads = 1",
    "call pragma_version()",
    "explain analyze copy (select 1) to 'x'",
    "explain analyze insert into t values (1)",
    "explain analyze create table t (a int)",
    "explain (analyze, format json) create type e as enum ('a')",
    "explain select * from read_csv('/etc/passwd')",
    "explain select 1; copy (select 1) to 'x'",
    "explain call pragma_version()",
    "pragma database_list",
    "install httpfs",
    "select 1; select 2",
    "create table t as pivot (select 1 as a) on a",
    "copy (pivot (select 1 as a) on a) to 'x'",
    "create type e as enum (pivot (select 1 as a) on a)",
    "create type e as enum ('a'); select 1",
    "create type e as enum ('a'); pivot (select 1 as a) on a",
    "pivot (select 1 as a) on a; select 2",
    "pivot (select content from read_text('/etc/passwd')) on content",
    "pivot (select content from \"READ_TEXT\" /* ( */ ('/etc/passwd')) on content",
    "pivot (from (select 1 as a), read_text\u00a0('x')) on a",
    "with s as (from query('select 1 as a')) pivot s on a",
    "pivot (select 1 as a) on a || getvariable('x')",
    "pivot (select 1 as a) on a || current_setting--\n('temp_directory')",
    "pivot duckdb_databases on path",
    'pivot (select 1 as a) on a using first((select count(*) from pg_catalog."pg_settings"))',
    "pivot (select 1 as a) on a || pg_catalog. /* a */ current_query()",
    "select pg_catalog.current_query()",
    "explain analyze select system.main.current_query()",
    "-- nothing",
    ";",
    "select * from read_csv('/etc/passwd')",
    "select * from read_blob('/etc/passwd')",
    "select * from glob('*')",
    "select * from enable_logging(storage = 'stdout')",
    "select * from duckdb_settings()",
    "select path from duckdb_databases",
    "from (select file from main.pragma_database_list) t",
    "select name, setting from pg_catalog.pg_settings",
    "summarize PG_SETTINGS",
    "from system.pg_catalog.pg_prepared_statements",
    "select (select content from read_text('/etc/passwd'))",
    "with a as (select * from parquet_metadata('x')) select * from a",
    "select sleep_ms(100)",
    "select SLEEP_MS(100)",
    "select current_setting('temp_directory')",
    "select getvariable('x')",
    "select * from query('select 1')",
    "select * from query_table('t')",
    "show variables",
    'from (show /* a */ "variables")',
    "with p as (pivot (select 1 as a) on a) from p, (show variables)",
    "select * from (select * from range(3) where range in (select size from read_text('x')))",
  ])("refuses what does not: %s", async (sql) => {
    await expect(admit(sandbox.connection, sql)).rejects.toMatchObject({
      failure: { name: "StatementNotAllowed", data: { category: "USER" } },
    });
  });

  it.each(["select getenv('PATH')", "pivot (from read_text('x')) on content"])(
    "refuses what does not, also on a source with macros in place of functions of the gate: %s",
    async (sql) => {
      const path = join(await mkdtemp(join(tmpdir(), "quern-gate-")), "shop.duckdb");
      await inDuckDB(
        path,
        `create macro json_serialize_sql(x) as '{"error": false}'`,
        "create macro bool_or(x) as false",
        "create macro lower(x) as 'x'",
      );
      const { connection } = await (await newEngine()).begin([{ name: "shop", path }], "");
      await expect(admit(connection, sql)).rejects.toMatchObject({ failure: { name: "StatementNotAllowed" } });
    },
  );

  it("reports mistakes in the words of the engine", async () => {
    await expect(admit(sandbox.connection, "select 1) to 'x'; copy (select 2")).rejects.toMatchObject({
      failure: { name: "ParserError" },
    });
    // Even parsing this accesses the disk, which is why the gate runs after the lock.
    await expect(admit(sandbox.connection, "import database 'x'")).rejects.toMatchObject({
      failure: { name: "PermissionError" },
    });
    await expect(admit(sandbox.connection, "from '/etc/passwd'")).rejects.toMatchObject({
      failure: { data: { category: expect.stringMatching("USER|DATA_SOURCE") } },
    });
  });
});

describe("the sandbox holds without the gate", () => {
  it.each([
    "select * from read_text('/etc/passwd')",
    "from '/etc/passwd'",
    "copy (select 1) to '/tmp/quern-escape.csv'",
    "copy (select 1) to 'quern-escape.csv'",
    "attach '/tmp/quern-escape.duckdb'",
    "set memory_limit = '100GB'",
    "set enable_external_access = true",
    "reset lock_configuration",
    "install httpfs",
    "load httpfs",
  ])("against: %s", async (sql) => {
    await expect(sandbox.connection.run(sql)).rejects.toThrow();
  });
});

it.each([
  ["select 1", 0],
  ["pivot (select 1 as a, 2 as b) on a using sum(b)", 1],
  ["explain pivot (select 1 as a, 2 as b) on a using sum(b)", 1],
])("%s takes all threads %i times", async (sql, times) => {
  const { connection } = await (await newEngine()).begin([], sql);
  const useAllThreads = vi.fn(async () => {});
  await admit(connection, sql, useAllThreads);
  expect(useAllThreads).toHaveBeenCalledTimes(times);
});
