import { afterAll, beforeAll, expect, it } from "vitest";
import { execute } from "../store/fixture.ts";
import { describeOnSource, openParts, type Parts, resultOf, sourceOf, statementOf } from "./fixture.ts";

const signal = new AbortController().signal;

await describeOnSource("EXPLAIN on PostgreSQL", (postgres) => {
  let parts: Parts;
  const source = sourceOf(postgres);
  const asWriter = sourceOf(postgres, "quern_planner");
  beforeAll(async () => {
    await postgres.run(
      "CREATE ROLE quern_planner LOGIN",
      "CREATE TABLE visits (id int PRIMARY KEY, place text)",
      "INSERT INTO visits SELECT n, 'p' || n % 7 FROM generate_series(1, 1000) AS n",
      "ANALYZE visits",
      "GRANT SELECT, INSERT ON visits TO quern_planner",
      "CREATE TABLE secrets (id int)",
      "CREATE FUNCTION visit() RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO visits VALUES (0); RETURN 1; END'",
      "CREATE FUNCTION wait(s float8) RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(s); RETURN 1; END'",
    );
    parts = await openParts();
  });
  afterAll(() => parts.close());

  const textOf = async (sql: string, more = {}): Promise<string> =>
    (await resultOf(parts, source, sql, more)).rows.map(([line]) => String(line)).join("\n");
  const describe = async (sql: string, from = source) =>
    parts.kind.describe(await statementOf(parts, from, sql), signal);
  const count = async () => (await execute(postgres.url, "SELECT count(*)::int AS n FROM visits"))[0]?.n;

  it("returns the plan that PostgreSQL itself has for the statement, with qualified names", async () => {
    for (const sql of [
      "SELECT place, count(*) FROM visits WHERE id > 10 GROUP BY place ORDER BY 2 DESC LIMIT 3",
      "SELECT v.id, v.id FROM visits v JOIN visits w ON w.id = v.id + 1 WHERE v.place = 'p1'",
      "WITH a AS MATERIALIZED (SELECT id FROM visits) SELECT * FROM a UNION ALL SELECT 1",
    ]) {
      const own = (await execute(postgres.url, `EXPLAIN ${sql}`)).map((row) => row["QUERY PLAN"]).join("\n");
      expect((await textOf(`EXPLAIN ${sql}`)).replaceAll("visits.", "")).toBe(own.replaceAll("visits.", ""));
    }
  });

  it("executes the statement with ANALYZE only", async () => {
    const sql = "SELECT count(*) FROM visits";
    expect(await textOf(`EXPLAIN ${sql}`)).not.toContain("actual");
    expect(await textOf(`EXPLAIN ANALYZE ${sql}`)).toMatch(/actual time=.* rows=1000[\s\S]*Execution Time: /);
    expect(await textOf("EXPLAIN SELECT 1 / (id - 5) FROM visits")).toContain("Seq Scan");
    await expect(textOf("EXPLAIN ANALYZE SELECT 1 / (id - 5) FROM visits")).rejects.toMatchObject({
      failure: { name: "DivisionByZero", data: { category: "USER" } },
    });
  });

  it.each([
    ["json", "json: object"],
    ["xml", "xml: string"],
    ["yaml", "text: string"],
    ["text", "text: string"],
  ])("returns a plan as %s", async (format, type) => {
    const sql = `explain (analyze, buffers off, format ${format}) select * from visits where id = 5`;
    const { types, rows } = await resultOf(parts, source, sql);
    expect(types).toEqual([type]);
    if (format === "json") expect(rows[0]?.[0]).toMatchObject([{ Plan: { "Node Type": "Index Scan" } }]);
    else expect(rows.flat().join("\n")).toContain("Index");
    expect((await describe(sql)).columns).toMatchObject([{ name: "QUERY PLAN", engineType: types[0]?.split(":")[0] }]);
  });

  it("binds parameters, and describes them without values", async () => {
    const sql = "EXPLAIN SELECT * FROM visits WHERE id = $n AND place = $place";
    expect(await textOf(sql, { parameters: { n: 77, place: "p0" } })).toContain("Index Cond: (id = 77)");
    expect((await describe(sql)).parameters).toEqual([
      { name: "n", type: "integer" },
      { name: "place", type: "text" },
    ]);
    await expect(textOf(sql, { parameters: { n: 1 } })).rejects.toMatchObject({ failure: { name: "ParameterError" } });
  });

  it("reports a mistake as without EXPLAIN, at its place", async () => {
    const sql = "EXPLAIN (verbose) SELECT nope FROM visits";
    await expect(textOf(sql)).rejects.toMatchObject({
      failure: { name: "UndefinedColumn", data: { position: sql.indexOf("nope") } },
    });
    await expect(describe("EXPLAIN SELECT 1) AS q, (SELECT 2")).rejects.toMatchObject({
      failure: { name: "SyntaxError" },
    });
    await expect(textOf("EXPLAIN ANALYZE SELECT")).rejects.toThrow("its result has no columns");
  });

  it("neither plans nor executes a statement that is described", async () => {
    expect((await describe("EXPLAIN ANALYZE SELECT wait(600), 1 / 0")).columns).toHaveLength(1);
  });

  it("only reads, and reads only what the role may", async () => {
    const before = await count();
    await expect(resultOf(parts, asWriter, "EXPLAIN ANALYZE SELECT visit()")).rejects.toMatchObject({
      failure: { message: "cannot execute INSERT in a read-only transaction (SQLSTATE 25006)" },
    });
    expect(await count()).toBe(before);
    for (const head of ["EXPLAIN", "EXPLAIN ANALYZE"])
      await expect(resultOf(parts, asWriter, `${head} SELECT * FROM secrets`)).rejects.toMatchObject({
        failure: { name: "InsufficientPrivilege" },
      });
  });

  it("with ANALYZE ends at the time limit of the run, and when it is canceled", async () => {
    const limits = { timeoutSeconds: 1, maxResultBytes: 1e9, maxResultRows: 1e6 };
    await expect(textOf("EXPLAIN ANALYZE SELECT wait(600)", { limits })).rejects.toMatchObject({
      failure: { name: "QueryCanceled", message: expect.stringContaining("statement timeout") },
    });
    const waiting = () =>
      execute(
        postgres.url,
        "SELECT pid FROM pg_stat_activity WHERE query LIKE 'EXPLAIN%wait(601)%' AND state = 'active'",
      );
    const controller = new AbortController();
    const statement = await statementOf(parts, source, "EXPLAIN ANALYZE SELECT wait(601)");
    const execution = await parts.kind.begin(statement, controller.signal);
    const result = execution.result();
    await expect.poll(waiting).toHaveLength(1);
    controller.abort("left");
    await expect(result).rejects.toBe("left");
    await execution.release();
    await expect.poll(waiting).toEqual([]);
  });
});
