import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { groupings } from "../../../trino/test/tpch/queries/groupings.ts";
import { joins } from "../../../trino/test/tpch/queries/joins.ts";
import { subqueries } from "../../../trino/test/tpch/queries/subqueries.ts";
import { windows } from "../../../trino/test/tpch/queries/windows.ts";
import {
  allowedFunctions,
  allowedViews,
  deniedFunctions,
  deniedTableFunctions,
  deniedViews,
  tableFunctions,
} from "../../src/executor/allowed-names.ts";
import { admit } from "../../src/executor/gate.ts";
import { isRefused, type NameUse, namesIn } from "../../src/executor/name-check.ts";
import { openEngine, type Sandbox } from "../../src/executor/sandbox.ts";
import type { SourceObjects } from "../../src/executor/source-objects.ts";
import { syntaxTrees } from "../../src/executor/syntax-tree.ts";
import { serializedPointers } from "../hostile/plans.ts";
import { inDuckDB } from "../sources/data.ts";
import { ordinaryStatements } from "./ordinary-statements.ts";

const onTpch = [...groupings, ...joins, ...subqueries, ...windows];

let folder: string;
let sandbox: Sandbox;
let objects: SourceObjects;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-functions-"));
  const path = join(folder, "shop.duckdb");
  await inDuckDB(
    path,
    "create table orders as select range as id, range * 1.5 as price, 'item ' || range as item from range(10)",
    "create macro gross(price) as round(price * 1.19, 2)",
    "create macro first_orders(n) as table select * from orders order by id limit n",
    "create macro run(text) as json_serialize_plan(text::varchar)",
    "create macro run_again(text) as upper(run(text)::varchar)",
    "create macro lower(text) as json_serialize_plan(text::varchar)",
    "create macro rows_of(name) as table select * from query_table(name)",
    "create macro bins_of(name, n) as table select * from histogram(name, n)",
    "create macro setting(a) as a, (a, b) as current_setting(b)",
    "create macro bins(n) as histogram(n)",
    "create schema more",
    'create macro more."Read It"(a) as current_setting(a)',
    'create view more."Über ""x"" AS SELECT" (a, "b AS SELECT 1") as select current_setting(\'allowed_paths\'), 1',
    "create view names as select 'pg_sleep(3)' as query, 1 as glob",
    "create view cheap as select * from orders where gross(price) < 5",
    "create view facts as select current_setting('allowed_paths') as paths",
    "create view more_facts as from facts",
  );
  const options = { directory: join(folder, "process"), threads: 1, memoryMegabytes: 400, spillMegabytes: 10 };
  const engine = await openEngine({ ...options, isolation: "user" });
  sandbox = await engine.begin([{ name: "shop", path }], "");
  objects = await engine.objects();
});

const read = async (sql: string) =>
  (await sandbox.connection.runAndReadAll(sql)).getRows().map(([name]) => String(name));
const admitted = (sql: string) => admit(sandbox.connection, sql, undefined, objects);

describe("functions and views of the engine", () => {
  it("are each in exactly one list: a name that is in none is new, and must be reviewed", async () => {
    const functions = (types: string) =>
      read(`SELECT DISTINCT system.main.lower(function_name) FROM duckdb_functions()
        WHERE internal AND function_type IN (${types}) AND NOT starts_with(function_name, 'icu_collate_')`);
    const lists = [
      { names: await functions("'scalar', 'aggregate', 'macro'"), allowed: allowedFunctions, denied: deniedFunctions },
      { names: await functions("'table', 'table_macro'"), allowed: tableFunctions, denied: deniedTableFunctions },
      {
        names: await read("SELECT DISTINCT system.main.lower(view_name) FROM duckdb_views() WHERE internal"),
        allowed: allowedViews,
        denied: deniedViews,
      },
    ];
    const onlySyntax = ["export_state", "grouping", "grouping_id", "unnest"];
    const onlyInTheCommandLine = "getenv";
    for (const { names, allowed, denied } of lists) {
      expect(names.filter((name) => allowed.has(name) === denied.has(name))).toEqual([]);
      const unlisted = [...allowed, ...denied].filter((name) => !names.includes(name));
      expect([...onlySyntax, onlyInTheCommandLine]).toEqual(expect.arrayContaining(unlisted));
    }
  });

  it("stand for allowed names only, if they are macros and views", async () => {
    const bodies = await read(`SELECT CASE function_type WHEN 'macro' THEN 'SELECT ' ELSE '' END || macro_definition
      FROM duckdb_functions() WHERE internal AND macro_definition IS NOT NULL
      AND system.main.lower(function_name) IN ('${[...allowedFunctions, ...tableFunctions].join("', '")}')
      AND NOT (function_type = 'table_macro' AND function_name = 'histogram')`);
    expect(bodies.length).toBeGreaterThan(100);
    const trees = await syntaxTrees(sandbox.connection, bodies);
    expect(trees.filter((parsed) => "issue" in parsed)).toEqual([]);
    const uses = trees.flatMap((parsed) => ("tree" in parsed ? [...namesIn(parsed.tree)] : []));
    // Some macros of pg_catalog read what an allowed view of the same name shows.
    const isOfView = ({ kind, name }: NameUse) => kind === "Table function" && allowedViews.has(name);
    expect(uses.filter((use) => isRefused(use) !== false && !isOfView(use))).toEqual([]);
  });

  it("are admitted in the engine's own examples of them, and in queries on the tables of TPC-H, and in other ordinary statements", async () => {
    const examples =
      await read(`SELECT DISTINCT example FROM (SELECT system.main.lower(function_name) AS name, unnest(examples) AS example
      FROM duckdb_functions() WHERE internal AND function_type <> 'table') WHERE NOT list_contains(['${[...deniedFunctions].join("', '")}'], name)`);
    expect(examples.length).toBeGreaterThan(300);
    const refused: string[] = [];
    const statements = [
      ...examples.map((each) => `select ${each}`),
      ...ordinaryStatements,
      ...onTpch.map(({ sql }) => sql),
    ];
    for (const sql of statements)
      await admit(sandbox.connection, sql).catch(({ failure }) => {
        if (failure?.name === "StatementNotAllowed") refused.push(`${sql}: ${failure.message}`);
      });
    expect(refused).toEqual([]);
  });

  it("are admitted beside numbers that JSON does not know", async () => {
    const { prepared } = await admitted("select 1e400, -1e400::real, 'x'");
    expect((await prepared.runAndReadAll()).getRows()).toEqual([[Infinity, -Infinity, "x"]]);
  });

  it("are admitted beside an ENUM within another type", async () => {
    const { prepared } = await admitted("select cast(['b'] as enum('a', 'b')[])::varchar");
    expect((await prepared.runAndReadAll()).getRows()).toEqual([["[b]"]]);
  });

  it("refuses each denied function, however it is written", async () => {
    const forms = [
      (name: string) => `select cast(['b'] as enum('a', 'b')[])[1], ${name}('x')`,
      (name: string) => `select ${name}('x')`,
      (name: string) => `select "${name.toUpperCase()}"('x')`,
      (name: string) => `select system.main.${name}('x')`,
      (name: string) => `select ('x').${name}()`,
      (name: string) => `select list_transform(['x'], e -> ${name}(e))`,
      (name: string) => `select [${name}(e) for e in ['x']]`,
      (name: string) => `select ${name}('x') over ()`,
      (name: string) => `with c as (select 1 as a order by ${name}('x')) from c`,
      (name: string) => `from range(${name}('x')::int)`,
      (name: string) => `select * exclude (b) replace (${name}('x') as a) from (select 1 as a, 2 as b)`,
      (name: string) => `select columns(c -> ${name}(c)) from (select 1 as a)`,
      (name: string) => `pivot (select 1 as a) on a using first(${name} ('x'))`,
      (name: string) => `summarize select ${name}('x')`,
      (name: string) => `describe select ${name}('x')`,
      (name: string) => `explain analyze select ${name}('x')`,
    ];
    const open: string[] = [];
    for (const name of deniedFunctions)
      for (const form of forms)
        await admitted(form(name)).then(
          () => open.push(form(name)),
          ({ failure }) =>
            failure?.name === "StatementNotAllowed" || failure?.name === "ParserError" || open.push(form(name)),
        );
    expect(open).toEqual([]);
  });

  it.each([
    serializedPointers,
    "select json_serialize_plan('select current_setting(''allowed_paths'')', optimize := true)",
    "select pg_sleep(3)",
    "select json_serialize_plan('from json_execute_serialized_sql(''{}'')')",
    "select json_deserialize_sql('{}')",
    "select * from arrow_scan(1, 2, 3)",
    "select finalize(sum(1) export_state)",
    "select (any_value(s) export_state)::blob from (select repeat('x', 100) as s)",
    "select hash(s) from (select bit_xor(n) export_state as s from range(3) t(n))",
    "pivot (select any_value(s) export_state as s from (select 'a' as s)) on s",
    "pivot (from histogram('duckdb_' || 'databases', path)) on bin",
    "pivot (from histogram(concat('pg_', 'settings'), setting)) on bin",
    "from histogram('duckdb_databases', path)",
    "from enable_logging()",
    "from query('select 1')",
    "select rank() over (w) from range(3) t(n) window w as (order by current_setting('threads'))",
    "select n from range(3) t(n) limit nextval('s')",
  ])("refuses %s", async (sql) => {
    await expect(admitted(sql)).rejects.toMatchObject({ failure: { name: "StatementNotAllowed" } });
  });

  it("reports a function that does not exist in the words of the engine", async () => {
    await expect(admitted("select lowr('x')")).rejects.toMatchObject({
      failure: { name: "CatalogError", message: expect.stringContaining("lowr does not exist") },
    });
  });
});

describe("views and macros of a source", () => {
  it.each([
    ["select gross(price) from orders", 10],
    ["from first_orders(3)", 3],
    ["select count(*) from cheap", 1],
    ["select upper(item) from orders limit 2", 2],
    ["select bins(id) from orders", 1],
    ["from names", 1],
  ])("can be used if their bodies can: %s", async (sql, rows) => {
    const { prepared } = await admitted(sql);
    expect((await prepared.runAndReadAll()).currentRowCount).toBe(rows);
  });

  it.each([
    "select run('select 1')",
    "select run_again('select 1')",
    "select lower('allowed_paths')",
    "from rows_of('orders')",
    "from bins_of('orders', id)",
    "select setting('threads', 'threads')",
    "select shop.more.\"read IT\"('threads')",
    'from more."über ""x"" as select"',
    "from facts",
    "select (select paths from main.more_facts)",
    "pivot (select run('select 1') as a) on a",
    "pivot facts on paths",
  ])("cannot be used if their bodies cannot: %s", async (sql) => {
    await expect(admitted(sql)).rejects.toMatchObject({ failure: { name: "StatementNotAllowed" } });
  });
});
