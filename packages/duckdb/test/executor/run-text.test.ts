import { existsSync } from "node:fs";
import { join } from "node:path";
import { BIGINT, DuckDBInstance, VARCHAR } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { checkPivotValues, type EngineValues, runText } from "../../src/executor/run-text.ts";

const nothing = { values: [], types: [] };

it("leaves no transaction and no type of a PIVOT behind when the text fails", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run("CREATE TABLE t AS SELECT 'a' AS c, 'x' AS v");
  const pivot = (value: string) => `CREATE OR REPLACE TEMP TABLE p AS PIVOT t ON c USING first(${value})`;
  await expect(runText(connection, pivot("v::INTEGER"), nothing)).rejects.toThrow("Could not convert");
  const types = "SELECT count(*)::INTEGER FROM duckdb_types() WHERE type_name LIKE '%pivot%'";
  expect((await connection.runAndReadAll(types)).getRows()).toEqual([[0]]);
  await connection.run("CREATE TABLE other AS SELECT 1");
});

it("compares the values of each PIVOT with those of the same one before", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run("CREATE TABLE t AS SELECT 'a' AS c, 'x' AS d, 1 AS v");
  const sql = "PIVOT t ON c, d USING sum(v)";
  for (let time = 0; time < 3; time += 1) await runText(connection, sql, nothing);
  await expect(checkPivotValues(connection, 2)).resolves.toBeUndefined();
  await connection.run("UPDATE t SET d = 'y'");
  await runText(connection, sql, nothing);
  await expect(checkPivotValues(connection, 2)).rejects.toMatchObject({ failure: { name: "PivotValuesChanged" } });
});

it("removes the file of a COPY that fails at once, and not the file of the next attempt later", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const file = join(await temporaryDirectory(), "result.parquet");
  const copy = (value: string) => `COPY (SELECT ${value} AS c FROM range(3) t(n)) TO '${file}' (FORMAT parquet)`;
  await expect(runText(connection, copy("CAST('x' || n AS INTEGER)"), nothing)).rejects.toThrow("Could not convert");
  expect(existsSync(file)).toBe(false);
  await runText(connection, copy("n"), nothing);
  expect(existsSync(file)).toBe(true);
});

it("binds values by position or name, and returns the rows of the statement that the caller wrote", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const rows = async (...[text, bound]: [string, EngineValues]) => (await runText(connection, text, bound)).getRows();
  expect(await rows("SELECT $1, $2", { values: [7n, "a"], types: [BIGINT, VARCHAR] })).toEqual([[7n, "a"]]);
  expect(await rows("SELECT $b || $a", { values: { a: "x", b: "y" }, types: { a: VARCHAR, b: VARCHAR } })).toEqual([
    ["yx"],
  ]);
  expect(await rows("PIVOT (SELECT 'k' AS c, 7 AS v) ON c USING first(v)", nothing)).toEqual([[7]]);
  expect(await rows("SELECT 7; SET VARIABLE x = 1", nothing)).toEqual([[7]]);
  await expect(rows("SET VARIABLE x = 1", nothing)).rejects.toThrow("The engine ran no statement of the text.");
});

it("ends no transaction after a text of one statement", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run("BEGIN");
  await expect(runText(connection, "SELECT nope", nothing)).rejects.toThrow("nope");
  await connection.run("COMMIT");
});

it("compares no values without a PIVOT", async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run("CREATE TEMP TABLE t AS SELECT 'a' AS c, 1 AS v");
  await runText(connection, "PIVOT t ON c USING sum(v)", nothing);
  await connection.run("UPDATE t SET c = 'b'");
  await runText(connection, "PIVOT t ON c USING sum(v)", nothing);
  await expect(checkPivotValues(connection, 0)).resolves.toBeUndefined();
  await expect(checkPivotValues(connection, 1)).rejects.toMatchObject({
    failure: { name: "PivotValuesChanged", data: { category: "USER", engine: "duckdb", retryable: false } },
  });
});
