import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { admit } from "../../src/executor/gate.ts";
import { type Engine, openEngine, type Sandbox } from "../../src/executor/sandbox.ts";
import {
  columnShapes,
  explainColumns,
  runStatement,
  toResultColumns,
  writeExplain,
} from "../../src/executor/statement.ts";
import { cellBytes } from "../../src/results/checked-cells.ts";
import { readDatabases } from "../sources/data.ts";

const before = process.cwd();
let directory: string;
let engine: Engine;
let sandbox: Sandbox;
beforeAll(async () => {
  directory = await temporaryDirectory();
  process.chdir(directory); // a statement writes its result below the working directory of its process
  engine = await openEngine({ directory, threads: 1, memoryMegabytes: 200, spillMegabytes: 10, isolation: "user" });
  sandbox = await engine.begin([], "");
});
afterEach(async () => {
  await engine.finish();
  sandbox = await engine.begin([], "");
});
afterAll(async () => {
  sandbox.connection.closeSync();
  process.chdir(before);
  await rm(directory, { recursive: true });
});

async function admitted(sql: string) {
  const { connection, threads } = sandbox;
  return { ...(await admit(connection, sql)), connection, threads, sql };
}
type Values = Parameters<typeof columnShapes>[1];
const columnsOf = async (sql: string, parameters: Values = null) =>
  toResultColumns(await columnShapes(await admitted(sql), parameters)).map(
    ({ name, kind, engineType }) => `${name} ${kind} ${engineType}`,
  );

it.each<[string, Values, string[]]>([
  [
    "select 1 as n, 'a' as n, [1.5] as l -- end",
    null,
    ["n number INTEGER", "n string VARCHAR", "l array DECIMAL(2,1)[]"],
  ],
  ["select $1 as a, $2::date as b", null, ["a number INTEGER", "b date DATE"]],
  ["select $1 as a, $1 || 'x' as b", ["t"], ["a string VARCHAR", "b string VARCHAR"]],
  ["select $n as n, $n as n limit 1;", { n: 1 }, ["n number BIGINT", "n_1 number BIGINT"]],
  ["select range as r from range($1) limit 2", [3], ["r number BIGINT"]],
  ["pivot (select 'x' as a, 1 as b) on a using sum(b)", null, ["x number HUGEINT"]],
])("returns the columns of %s with %j", async (sql, parameters, columns) => {
  expect(await columnsOf(sql, parameters)).toEqual(columns);
});

it("runs nothing for the columns of a statement without parameters", async () => {
  const runs = async (sql: string, parameters: Values) => {
    const statement = await admitted(sql);
    const extract = vi.spyOn(statement.connection, "extractStatements");
    await columnShapes(statement, parameters);
    const calls = extract.mock.calls.length;
    extract.mockRestore();
    return calls;
  };
  expect([await runs("select 1 as a", null), await runs("select $1 as a", [1])]).toEqual([0, 1]);
});

it("refuses a column whose type a result cannot store", async () => {
  await expect(columnsOf("select 1 as a, get_type($1) as t", [1])).rejects.toMatchObject({
    failure: {
      name: "UnsupportedType",
      message: "Unsupported type of the column t: a result cannot store it; cast the column to VARCHAR.",
      data: { category: "USER", engine: "duckdb", retryable: false },
    },
  });
});

async function written(sql: string, parameters: Values = null) {
  const statement = await admitted(sql);
  const columns = await columnShapes(statement, parameters);
  const { rowCount } = await runStatement(statement, parameters, columns, 0);
  const path = join(directory, "out/result.parquet");
  expect(path).toBe(join(directory, "out/result.parquet"));
  const types = await readDatabases([], `SELECT column_name, column_type FROM (DESCRIBE FROM '${path}')`);
  return { rowCount, rows: await readDatabases([], `FROM '${path}'`), columns: types.map(String) };
}

it("writes the rows of a statement under the names c0, c1, …", async () => {
  expect(await written("select range as n, 'a' as n, interval 1 day as i from range(2) -- end")).toEqual({
    rowCount: 2,
    rows: [
      ["0", "a", "1 day"],
      ["1", "a", "1 day"],
    ],
    columns: ["c0,BIGINT", "c1,VARCHAR", "c2,VARCHAR"],
  });
  expect(await written("select $1 as a", ["x"])).toEqual({ rowCount: 1, rows: [["x"]], columns: ["c0,VARCHAR"] });
});

it("writes wide integers as numbers, or all as text if one of them has more digits", async () => {
  const sum = (value: string) => `select 1::hugeint as a, ${value}::hugeint as b`;
  expect(await written(sum("5"))).toMatchObject({
    rows: [["1", "5"]],
    columns: ["c0,DECIMAL(38,0)", "c1,DECIMAL(38,0)"],
  });
  const wide = `1${"0".repeat(38)}`;
  expect(await written(sum(wide))).toMatchObject({ rows: [["1", wide]], columns: ["c0,VARCHAR", "c1,VARCHAR"] });
});

it("reports the place of a failure in the text of the caller, once", async () => {
  await expect(written("select 1,\n  'x'::int as n")).rejects.toMatchObject({
    failure: { name: "ConversionError", data: { category: "USER", line: 2, column: 6 } },
  });
  await expect(columnsOf("select 1,\n  nope from range($1)", [1])).rejects.toMatchObject({
    failure: { name: "BinderError", data: { line: 2, column: 3 } },
  });
});

it("runs a statement that fails for another reason once", async () => {
  const run = vi.spyOn(sandbox.connection, "run");
  await expect(written("select 'x'::int as n")).rejects.toMatchObject({ failure: { name: "ConversionError" } });
  expect(run.mock.calls.filter(([text]) => text.startsWith("COPY"))).toHaveLength(1);
  run.mockRestore();
});

it.each([
  "select range as n, 'a' || range as t from range(3) order by n limit 3",
  "select range as n, 'a' || range as t from range(3) order by n",
  "select $1::bigint as n, $2 as t",
])("returns the values of small rows, and writes larger ones from the same execution: %s", async (sql) => {
  const parameters = sql.includes("$1") ? [1, "é"] : null;
  const of = async (maxCellBytes: number) => {
    const statement = await admitted(sql);
    return runStatement(statement, parameters, await columnShapes(statement, parameters), maxCellBytes);
  };
  const { cells = [], rowCount } = await of(1_000);
  const bytes = cellBytes(cells);
  expect(cells).toEqual(
    parameters
      ? [["1", '"é"']]
      : [
          ["0", '"a0"'],
          ["1", '"a1"'],
          ["2", '"a2"'],
        ],
  );
  expect(await of(bytes)).toEqual({ rowCount, cells });
  const run = vi.spyOn(sandbox.connection, "run");
  expect(await of(bytes - 1)).toEqual({ rowCount });
  const copies = run.mock.calls.filter(([text]) => text.startsWith("COPY"));
  run.mockRestore();
  expect(copies.map(([text]) => text.includes("quern_rows"))).toEqual(sql.endsWith("by n") ? [false] : [true]);
  const path = join(directory, "out/result.parquet");
  const rows = await readDatabases([], `SELECT to_json(c0)::VARCHAR, to_json(c1)::VARCHAR FROM '${path}'`);
  expect(rows).toEqual(cells);
});

it.each([1_000, 5])(
  "fails at an error after the first chunk, and leaves no rows: %s bytes of cells",
  async (maxCellBytes) => {
    const sql = `select (case range when 3000 then 'x' else range::varchar end)::int as n from range(4000)
    where range % 1000 = 0 limit 100`;
    const statement = await admitted(sql);
    expect(statement.hasFewRows).toBe(true);
    const columns = await columnShapes(statement, null);
    const runs = runStatement(statement, null, columns, maxCellBytes);
    await expect(runs).rejects.toMatchObject({ failure: { name: "ConversionError", data: { category: "USER" } } });
    expect(existsSync(join(directory, "out/result.parquet"))).toBe(false);
    const tables = await sandbox.connection.runAndReadAll("SELECT table_name FROM duckdb_tables()");
    expect(tables.getRows()).toEqual([]);
  },
);

// After one seed, each execution has the next random number.
it.each([
  ["select random() as r, repeat('x', 100) as t", true],
  ["select random() as r, repeat('x', 100) as t from range(1)", false],
])("keeps the values of the only execution, as cells and in a file: %s", async (sql, hasFewRows) => {
  const { connection } = sandbox;
  const next = async () => JSON.stringify((await connection.runAndReadAll("SELECT random()")).getRows()[0]?.[0]);
  const seed = () => connection.run("SELECT setseed(0.42)");
  await seed();
  const [first, second] = [await next(), await next()];
  for (const maxCellBytes of [1_000, 50]) {
    const statement = await admitted(sql);
    expect(statement.hasFewRows).toBe(hasFewRows);
    const columns = await columnShapes(statement, null);
    await seed();
    const { cells } = await runStatement(statement, null, columns, maxCellBytes);
    expect(await next()).toBe(second);
    const path = join(directory, "out/result.parquet");
    const rows = cells ?? (await readDatabases([], `SELECT to_json(c0)::VARCHAR FROM '${path}'`));
    expect([cells === undefined, rows[0]?.[0]]).toEqual([maxCellBytes === 50, first]);
    if (existsSync(path)) await rm(path);
  }
});

it("fails if the values of a PIVOT change", async () => {
  await expect(written("pivot (select random() as r, 1 as x) on r using sum(x)")).rejects.toMatchObject({
    failure: { name: "PivotValuesChanged" },
  });
});

it("writes a plan, without the paths of the service", async () => {
  const { explain, ...statement } = await admitted("explain (format json) select $1 || '/srv/7'");
  if (explain === undefined) throw new Error("EXPLAIN was admitted as another statement");
  const { rowCount } = await writeExplain({ ...statement, explain }, ["x"], ["/srv"], 0);
  expect(rowCount).toBe(1);
  const path = join(directory, "out/result.parquet");
  const small = await writeExplain({ ...statement, explain }, ["x"], ["/srv"], 100_000);
  const stored = await readDatabases([], `SELECT to_json(c0)::VARCHAR, to_json(c1)::VARCHAR FROM '${path}'`);
  expect(small).toEqual({ rowCount: 1, cells: stored });
  const [[key, plan] = []] = await readDatabases([], `SELECT c0, c1 FROM '${path}'`);
  expect(key).toBe("physical_plan");
  expect(plan).toContain("'x<path>");
  expect(toResultColumns(explainColumns)).toEqual(
    ["explain_key", "explain_value"].map((name) => ({ name, kind: "string", engineType: "VARCHAR" })),
  );
});

it.each([
  ["select 1", { pivotTypes: 0, parameterCount: 0 }],
  ["select $1, $2", { pivotTypes: 0, parameterCount: 2 }],
  ["pivot (select 'x' as a, 1 as b) on a using sum(b)", { pivotTypes: 1, parameterCount: 0 }],
  ["pivot (select 'x' as a, 2 as c, 1 as b) on a, c using sum(b);", { pivotTypes: 2, parameterCount: 0 }],
])("admits %s", async (sql, expected) => {
  const { pivotTypes, prepared, explain } = await admit(sandbox.connection, sql);
  expect({ pivotTypes, parameterCount: prepared.parameterCount, explain }).toEqual({ ...expected, explain: undefined });
});

it.each([
  ["explain select 1 -- end", { sql: "EXPLAIN\n select 1", offset: 1 }],
  [
    "/* é */ explain (analyze, format json) select 1;",
    { sql: "EXPLAIN (analyze , format json)\n select 1", offset: -7 },
  ],
])("admits %s, and builds the text that runs from the admitted part", async (sql, explain) => {
  expect((await admit(sandbox.connection, sql)).explain).toEqual(explain);
});

it.each([
  ["explain (format json)\n select nope", "BinderError", 2, 9],
  ["explain select 1\n +", "ParserError", 2, 3],
  ["select 'é',\n nope", "BinderError", 2, 2],
])("reports the place of a mistake in %j", async (sql, name, line, column) => {
  await expect(admit(sandbox.connection, sql)).rejects.toMatchObject({ failure: { name, data: { line, column } } });
});

it.each([
  ["", "Statement not allowed: the text has no statement; send one statement that reads."],
  ["  \n", "Statement not allowed: the text has no statement; send one statement that reads."],
  ["explain ", "Statement not allowed: the text has no statement; send one statement that reads."],
  ["-- a", "Statement not allowed: the text has no statement; send one statement that reads."],
  [
    "select 1; select 2",
    "Statement not allowed: the text has several statements, or one that writes; send one statement that reads.",
  ],
  ["set threads = 1", "Statement not allowed: it is not a query; send one SELECT, DESCRIBE, SHOW or EXPLAIN."],
  ["select * from READ_CSV('x')", "Table function not allowed: read_csv; use the tables of the data source."],
  ["select Sleep_MS(1)", "Function not allowed: sleep_ms; remove it from the statement."],
  ["from DUCKDB_databases", "View not allowed: duckdb_databases; remove it from the statement."],
  ["select main.current_query()", "Function not allowed: current_query with a schema; write current_query()."],
  ["pivot (from Read_Text('x')) on content", "Function not allowed: read_text; remove it from the statement."],
  ["pivot PG_Settings on name", "View not allowed: pg_settings; remove it from the statement."],
  [
    'pivot (select 1 as a) on a || main."current_query"()',
    "Function not allowed: current_query with a schema; write current_query().",
  ],
])("refuses %j", async (sql, message) => {
  await expect(admit(sandbox.connection, sql)).rejects.toMatchObject({
    failure: { name: "StatementNotAllowed", message, data: { category: "USER", engine: "duckdb", retryable: false } },
  });
});

it.each([
  "pivot (select 'x' as xread_text, 1 as b) on xread_text using sum(b)",
  "pivot (select 'x' as read_text, 1 as b) on read_text using sum(b)",
  "pivot (select 'x' as pg_settings_2, 1 as b) on pg_settings_2 using sum(b)",
  "pivot (select current_query() as a, 1 as b) on a using sum(b)",
  "pivot (select 'x' as a, 1 as b from range(1), generate_series(1, 1)) on a using sum(b)",
  "select 'read_csv(' as duckdb_settings -- from duckdb_settings()",
])("does not take other words for names that are refused: %s", async (sql) => {
  const { connection } = await engine.begin([], sql);
  await expect(admit(connection, sql)).resolves.toBeDefined();
});
