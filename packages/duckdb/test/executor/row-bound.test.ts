import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { admit } from "../../src/executor/gate.ts";
import { noObjects } from "../../src/executor/source-objects.ts";

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create()).connect();
  await connection.run("CREATE TABLE t AS SELECT range AS n, range % 7 AS g FROM range(5000)");
  await connection.run("CREATE MACRO several(x) AS unnest(range(x)); CREATE MACRO sum(x) AS x + 1");
});
afterAll(() => connection.closeSync());

const source = { ...noObjects, macros: new Set(["several", "sum"]) };
const hasFewRows = async (sql: string) => (await admit(connection, sql, undefined, source)).hasFewRows;

it.each([
  "select 1",
  "select 'a' as id, now()",
  "select * from t limit 100",
  "from t order by n limit 5 offset 4000",
  "with a as (from t) select * from a limit 3",
  "select n from t union all select n from t limit 10",
  "select count(*), max(n) + 1 from t where g = 3",
  "select COUNT(distinct g) from t having count(*) > 1",
  "select max(count(*)) over () from t",
  "select (select count(*) from t)",
])("knows that %s has few rows, as it has", async (sql) => {
  expect(await hasFewRows(sql)).toBe(true);
  expect((await connection.runAndReadAll(sql)).currentRowCount).toBeLessThanOrEqual(100);
});

it("knows each function of the engine whose body returns several rows", async () => {
  const several = await connection.runAndReadAll(`SELECT DISTINCT function_name FROM duckdb_functions()
    WHERE internal AND function_type = 'macro' AND macro_definition ILIKE '%unnest(%'`);
  for (const [name] of several.getRows())
    expect(await hasFewRows(`select ${name}(['a'], 'b')`).catch(String)).not.toBe(true);
  expect(several.currentRowCount).toBeGreaterThan(1);
});

it.each([
  "from t",
  "select * from t limit 101",
  "select * from t limit 20%",
  "select * from t limit 50 + 5",
  "select g, count(*) from t group by g, n",
  "select n, count(*) from t group by all",
  "select max(n) from t group by grouping sets ((n), ())",
  "select max(n) over () from t",
  "select (select max(n) from t) from t",
  "select unnest(range(5000))",
  "select max(n), unnest(range(2000)) from t",
  "select unlist(range(5000))",
  "select regexp_split_to_table(repeat('a ', 5000), ' ')",
  "select generate_subscripts(range(5000), 1)",
  "select 1 order by unnest(range(5000))",
  "select distinct on (unnest(range(5000))) 1",
  "select several(2000)",
  "select sum(n) from t",
  "select 1 from t union all select 2 from t",
  "pivot t on g using max(n) group by n",
  "select $1 from t limit $2",
])("does not say so of %s", async (sql) => {
  expect(await hasFewRows(sql)).toBe(false);
});
