import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { admit } from "../../../src/executor/duckdb/gate.ts";
import { lockedSandbox, openEngine, type Sandbox } from "../../../src/executor/duckdb/sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), "quern-gate-"));
  const engine = await openEngine({ directory, threads: 1, memoryMegabytes: 200, spillMegabytes: 10 });
  sandbox = await lockedSandbox(engine, []);
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
    "select relname from pg_class union all select table_name from duckdb_tables",
  ])("admits what reads: %s", async (sql) => {
    await expect(admit(sandbox.connection, sql)).resolves.toBeDefined();
  });

  it.each([
    "insert into t values (1)",
    "create table t (a int)",
    "attach 'x.db'",
    "copy (select 1) to 'x'",
    "set threads = 1",
    "call pragma_version()",
    "explain select 1",
    "pragma database_list",
    "install httpfs",
    "select 1; select 2",
    "pivot (select 1 as a, 2 as b) on a using sum(b)",
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
    "select * from (select * from range(3) where range in (select size from read_text('x')))",
  ])("refuses what does not: %s", async (sql) => {
    await expect(admit(sandbox.connection, sql)).rejects.toMatchObject({
      failure: { name: "StatementNotAllowed", data: { category: "USER" } },
    });
  });

  it("leaves mistakes to the engine's own words", async () => {
    await expect(admit(sandbox.connection, "select 1) to 'x'; copy (select 2")).rejects.toMatchObject({
      failure: { name: "ParserError" },
    });
    // Only to parse this touches the disk, which is why the gate stands behind the lock.
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
