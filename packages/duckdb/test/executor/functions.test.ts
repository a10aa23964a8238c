import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { groupings } from "../../../trino/test/tpch/queries/groupings.ts";
import { joins } from "../../../trino/test/tpch/queries/joins.ts";
import { subqueries } from "../../../trino/test/tpch/queries/subqueries.ts";
import { windows } from "../../../trino/test/tpch/queries/windows.ts";
import { allowedFunctions, deniedFunctions, tableFunctions } from "../../src/executor/allowed-names.ts";
import { admit } from "../../src/executor/gate.ts";
import { isAllowedFunction } from "../../src/executor/refused-names.ts";
import { openEngine, type Sandbox } from "../../src/executor/sandbox.ts";
import { inDuckDB } from "../sources/data.ts";
import { ordinaryStatements } from "./ordinary-statements.ts";

const onTpch = [...groupings, ...joins, ...subqueries, ...windows];

let folder: string;
let sandbox: Sandbox;
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
    "create view cheap as select * from orders where gross(price) < 5",
    "create view facts as select current_setting('allowed_paths') as paths",
    "create view more_facts as from facts",
  );
  const options = { directory: join(folder, "process"), threads: 1, memoryMegabytes: 400, spillMegabytes: 10 };
  const engine = await openEngine({ ...options, isolation: "user" });
  sandbox = await engine.begin([{ name: "shop", path }], "");
});

const read = async (sql: string) =>
  (await sandbox.connection.runAndReadAll(sql)).getRows().map(([name]) => String(name));
const admitted = (sql: string) => admit(sandbox.connection, sql, undefined, sandbox.source);

/** Statement with a table function that reads memory at an address of the caller, as a plan that the engine has written. */
const pointers = `select json_serialize_plan('from json_execute_serialized_sql(''{"statements":[{"node":{"type":"SELECT_NODE"}}]}'')')`;

describe("functions of the engine", () => {
  it("are all sorted: a name that is in neither list is new, and must be reviewed", async () => {
    const values = await read(`SELECT DISTINCT system.main.lower(function_name) FROM duckdb_functions()
      WHERE internal AND function_type IN ('scalar', 'aggregate', 'macro')`);
    expect(values.filter((name) => isAllowedFunction(name) === deniedFunctions.has(name))).toEqual([]);
    const all = new Set(
      await read("SELECT DISTINCT system.main.lower(function_name) FROM duckdb_functions() WHERE internal"),
    );
    const unlisted = ["grouping", "grouping_id", "getenv"];
    const listed = [...allowedFunctions, ...deniedFunctions, ...tableFunctions];
    expect(listed.filter((name) => !all.has(name)).sort()).toEqual(unlisted.sort());
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

  it("refuses each denied function, however it is written", async () => {
    const forms = [
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
    pointers,
    "select json_serialize_plan('select current_setting(''allowed_paths'')', optimize := true)",
    "select pg_sleep(3)",
    "select * from arrow_scan(1::pointer, 2::pointer, 3::pointer)",
    "select finalize(sum(1) export_state)",
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
  ])("can be used if their bodies can: %s", async (sql, rows) => {
    const { prepared } = await admitted(sql);
    expect((await prepared.runAndReadAll()).currentRowCount).toBe(rows);
  });

  it.each([
    "select run('select 1')",
    "select run_again('select 1')",
    "select lower('allowed_paths')",
    "from rows_of('orders')",
    "from facts",
    "select (select paths from main.more_facts)",
    "pivot (select run('select 1') as a) on a",
    "pivot facts on paths",
  ])("cannot be used if their bodies cannot: %s", async (sql) => {
    await expect(admitted(sql)).rejects.toMatchObject({ failure: { name: "StatementNotAllowed" } });
  });
});
