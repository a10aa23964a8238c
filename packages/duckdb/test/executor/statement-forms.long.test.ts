import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { DescribeQueryResult } from "@quern/protocol/types";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer, temporaryDirectory } from "../../../server/test/fixture.ts";
import { inDuckDB } from "../sources/data.ts";
import { oneProcessKind } from "./one-process.ts";

let server: TestServer;
let dataDir: string;
beforeAll(async () => {
  dataDir = await temporaryDirectory();
  const path = join(dataDir, "sources", "shop.duckdb");
  await mkdir(join(dataDir, "sources"));
  await inDuckDB(
    path,
    "create table t as from (values ('a', 'x', 1), ('b', 'x', 2), ('a', 'y', 3)) v(c, g, x)",
    "create view asked as select current_query() as text",
    "create view rotated as unpivot (select 1 as a, 2 as b) on a, b",
  );
  const sources = [{ name: "shop", provider: "quern", path }];
  server = await startServer({ dataDir, sources, kind: await oneProcessKind() });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Returns the columns and rows of a run, and checks that `describeQuery` returns the same columns. */
async function table(sql: string, parameters?: unknown[] | Record<string, unknown>) {
  const run = await server.run(sql, parameters === undefined ? {} : { parameters: parameters as never });
  if (run.state !== "QUERY_STATE_SUCCESS") throw new Error(`${run.errorName}: ${run.errorMessage}`);
  const { columnNames, columnTypes, rows } = await server.results({ queryRunId: run.id });
  const named = columnNames?.map((name, index) => `${name} ${columnTypes?.[index]}`);
  const described = await server.call<DescribeQueryResult>("describeQuery", { sql });
  expect(described.columns.map(({ name, type }) => `${name} ${type}`)).toEqual(named);
  return { columns: named ?? [], rows: rows ?? [] };
}

describe("PIVOT", () => {
  const byGroup = {
    columns: ["g string", "a number", "b number"],
    rows: [
      ["x", 1, 2],
      ["y", 3, null],
    ],
  };

  it.each([
    "pivot t on c using sum(x) order by g",
    "pivot t on c in ('a', 'b') using sum(x) group by g order by g;",
    "pivot t on c using sum(x) group by g order by g -- done",
    "pivot_wider t on c using sum(x) order by g limit 2",
    "from (pivot t on c using sum(x)) order by g",
    "select * from (pivot (from t where x > 0) on c using sum(x)) as p order by p.g",
    "with p as (pivot t on c using sum(x)) from p order by g",
    "with s as (from t) pivot s on c using sum(x) order by g",
    "select * from t pivot (sum(x) for c in ('a', 'b')) order by g",
    "select * from t pivot (sum(x) for c in ('a', 'b') group by g) order by g",
    "(pivot t on c using sum(x)) order by g",
  ])("has the values as columns: %s", async (sql) => {
    expect(await table(sql)).toEqual(byGroup);
  });

  it("takes several columns, values and PIVOTs", async () => {
    expect((await table("pivot t on c, g using sum(x) as s, count(*) as n")).columns).toHaveLength(8);
    expect((await table("pivot t on c || g using max(x)")).rows).toEqual([[1, 3, 2]]);
    const two =
      "select * from (pivot t on c using sum(x)) p join (pivot t on g using sum(x)) q on q.c = 'a' order by p.g";
    expect(await table(two)).toEqual({
      columns: ["g string", "a number", "b number", "c string", "x number", "y number"],
      rows: [
        ["x", 1, 2, "a", 1, 3],
        ["y", 3, null, "a", 1, 3],
      ],
    });
  });

  it("turns columns into rows", async () => {
    expect((await table("unpivot (from t where x = 3) on c, g into name k value v")).rows).toEqual([
      [3, "c", "a"],
      [3, "g", "y"],
    ]);
    expect((await table("from t unpivot (v for k in (x)) where v = 1")).rows).toEqual([["a", "x", "x", 1]]);
    expect((await table("from rotated")).rows).toHaveLength(2);
  });

  it("takes parameters outside its source, and refuses them inside", async () => {
    const outside = await server.run("from (pivot t on c using sum(x)) where g = $1", { parameters: ["y"] });
    expect(outside.errorMessage).toBeNull();
    expect((await server.results({ queryRunId: outside.id })).rows).toEqual([["y", 3, null]]);
    const sql = "from (pivot t on c using sum(x)) where g = $1";
    const { columns, parameters } = await server.call<DescribeQueryResult>("describeQuery", { sql });
    expect({ columns: columns.map(({ name }) => name), parameters }).toMatchObject({
      columns: ["g", "a", "b"],
      parameters: [{ name: "1" }],
    });
    const inside = await server.run("pivot (from t where x > $1) on c using sum(x)", { parameters: [1] });
    expect(inside.errorName).toBe("ParserError");
    expect(inside.errorMessage).toMatch(/cannot have parameters in their source/);
  });

  it("describes and plans, too", async () => {
    const names = (await table("describe pivot t on c using sum(x)")).rows.map((row) => (row as unknown[])[0]);
    expect(names).toEqual(["g", "a", "b"]);
    expect((await table("summarize pivot t on c using sum(x)")).rows).toHaveLength(3);
    for (const explain of ["explain", "explain analyze"])
      expect(String((await table(`${explain} pivot t on c using sum(x)`)).rows)).toContain("GROUP_BY");
  });

  it("leaves no type behind", async () => {
    await table("pivot t on c using sum(x)");
    const types = "select type_name from duckdb_types where type_name like '%pivot%'";
    expect((await table(types)).rows).toEqual([]);
  });

  it("fails when the values change while it runs", async () => {
    const run = await server.run("pivot (select random() as r, 1 as x) on r using sum(x)");
    expect(run).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: "PivotValuesChanged" });
    expect(run.errorMessage).toContain("IN (");
  });

  it("is refused next to another statement, and creates nothing", async () => {
    for (const sql of ["pivot t on c using sum(x); select 1", "create temp table y as pivot t on c using sum(x)"])
      expect(await server.run(sql)).toMatchObject({
        errorName: "StatementNotAllowed",
        errorMessage:
          "Statement not allowed: the text has several statements, or one that writes; send one statement that reads.",
      });
  });

  it("reports the line and column of a mistake", async () => {
    const run = await server.run("pivot t on c\nusing sum(nope)");
    expect(run).toMatchObject({ errorName: "BinderError", errorData: { line: 2, column: 11 } });
  });
});

describe("EXPLAIN", () => {
  it.each([
    ["explain select * from t where x > 1", "physical_plan", "own"],
    ["explain (select 1)", "physical_plan", "1"],
    ["/* a */ explain -- b\n from t", "physical_plan", "SEQ_SCAN"],
    ["; explain from t;", "physical_plan", "SEQ_SCAN"],
    ["explain analyze select c, count(*) from t group by c", "analyzed_plan", "Total Time"],
    ["explain (analyze) from t", "analyzed_plan", "Total Time"],
    ["explain (format json) from t", "physical_plan", '"SEQ_SCAN"'],
    ["explain (analyze, format 'json') from t", "analyzed_plan", '"operator_type"'],
    ['explain (format "json") from t', "physical_plan", '"SEQ_SCAN"'],
    ["explain (format yaml) from t", "physical_plan", "SEQ_SCAN"],
    ["explain (format html) from t", "physical_plan", "<!DOCTYPE html>"],
    ["explain summarize t", "physical_plan", "PROJECTION"],
    ["explain describe t", "physical_plan", "SCAN"],
  ])("gives the plan as rows: %s", async (sql, key, part) => {
    const plan = await table(sql);
    expect(plan.columns).toEqual(["explain_key string", "explain_value string"]);
    expect(plan.rows).toHaveLength(1);
    const [[foundKey, text] = []] = plan.rows as string[][];
    expect(foundKey).toBe(key);
    expect(text).toContain(part === "own" ? "shop.main.t" : part);
    expect(text).not.toContain(dataDir);
  });

  it("has no path of the service in the plan", async () => {
    const { rows } = await table(`explain (format json) from t where c > '${join(dataDir, "sources", "shop.duckdb")}'`);
    expect(String(rows)).toContain("'<path>'");
  });

  it("takes parameters", async () => {
    const run = await server.run("explain analyze select * from t where x > $n", { parameters: { n: 2 } });
    expect(run.errorMessage).toBeNull();
    const missing = await server.run("explain select $n");
    expect(missing).toMatchObject({ errorName: "ParameterError" });
  });

  it("reports the line and column of a mistake in the explained statement", async () => {
    const run = await server.run("explain\n  select nope from t");
    expect(run).toMatchObject({ errorName: "BinderError", errorData: { line: 2, column: 10 } });
    const inTwo = await server.run("explain (format nope) select 1");
    expect(inTwo).toMatchObject({ state: "QUERY_STATE_FAILED", errorData: { category: "USER" } });
    expect(inTwo.errorMessage).toContain("nope");
    await expect(server.call("describeQuery", { sql: "explain (format nope) select 1" })).rejects.toThrow(
      "The engine rejected the statement",
    );
  });

  it("admits only what could run alone", async () => {
    const opens = ["explain", "explain analyze", "explain (analyze, format json)"];
    const inners = [
      "copy t to 'x'",
      "create table x as from t",
      "insert into t values ('a', 'b', 1)",
      "attach 'x'",
      "set threads = 1",
      "explain from t",
      "from read_csv('/etc/passwd')",
      "select * from duckdb_settings()",
      "select 1; select 2",
      "call pragma_version()",
      "with s as (select content from read_text('x')) pivot s on content",
    ];
    for (const [index, inner] of inners.entries()) {
      const { errorName } = await server.run(`${opens[index % opens.length]} ${inner}`);
      expect({ inner, errorName }).toEqual({
        inner,
        errorName: expect.stringMatching(/^(StatementNotAllowed|ParserError)$/),
      });
    }
  });
});

describe("statements about tables", () => {
  it.each([
    ["summarize t", "column_name string", 3],
    ["summarize select c from t", "column_name string", 1],
    ["describe t", "column_name string", 3],
    ["describe select c, x from t", "column_name string", 2],
    ["desc t", "column_name string", 3],
    ["show t", "column_name string", 3],
    ["show tables", "name string", 3],
    ["show all tables", "database string", 3],
    ["describe", "database string", 3],
    ["show databases", "database_name string", 2],
    ["show schemas", "database_name string", undefined],
  ])("have rows and types: %s", async (sql, column, count) => {
    const { columns, rows } = await table(sql);
    expect(columns[0]).toBe(column);
    if (count !== undefined) expect(rows).toHaveLength(count);
  });

  it("take parameters", async () => {
    const run = await server.run("summarize select x from t where x > $1", { parameters: [2] });
    expect(run.errorMessage).toBeNull();
    const { rows } = await server.results({ queryRunId: run.id });
    expect((rows as unknown[][])[0]?.slice(0, 4)).toEqual(["x", "INTEGER", "3", "3"]);
  });
});

describe("current_query()", () => {
  it.each([
    "select current_query() as text",
    "select main.current_query() as text from t limit 1",
    "-- what's this?\nSELECT\n  CURRENT_QUERY() AS text; -- end",
    "select current_query() as text -- the first line\rfrom range(2) limit 1",
    "pivot (select main.--\r\ncurrent_query() as c, 1 as x) on c using sum(x)",
    "pivot (select main.--\rcurrent_query() as c, 1 as x) on c using sum(x)",
    "from asked",
  ])("returns the caller's own text: %s", async (sql) => {
    const expected = sql.includes("main.") ? "current_query with a schema" : sql;
    const run = await server.run(sql);
    if (run.errorMessage !== null) return expect(run.errorMessage).toContain(expected);
    expect((await server.results({ queryRunId: run.id })).rows).toEqual([[expected]]);
  });
});
