import { type DuckDBType, DuckDBVarCharType, SQLNULL, STRUCT } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { columnKind, comparedCell, engineTypeName, pageCell, storedCell } from "../../src/engine/column-type.ts";
import { parseStoredType } from "../../src/engine/stored-type.ts";

const typeOf = (name: string): DuckDBType => parseStoredType(name);

it.each([
  ["boolean", ["BOOLEAN"]],
  ["number", ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"]],
  ["number", ["HUGEINT", "UHUGEINT", "BIGNUM", "FLOAT", "DOUBLE", "DECIMAL(9,2)"]],
  ["date", ["DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"]],
  ["string", ["TIME", "TIME WITH TIME ZONE", "TIME_NS", "INTERVAL", "VARCHAR", "ENUM('a')", "UUID", "BLOB", "BIT"]],
  ["string", ["GEOMETRY"]],
  ["array", ["INTEGER[]", "INTEGER[3]", "JSON[]"]],
  ["object", ['STRUCT("a" INTEGER)', "MAP(VARCHAR, DATE)", 'UNION("a" DATE)', "VARIANT", "JSON"]],
  ["unknown", [engineTypeName(SQLNULL)]],
])("has the kind %s for %s", (kind, names) => {
  expect(names.map((name) => columnKind(typeOf(name)))).toEqual(names.map(() => kind));
});

it("names the type of a struct without names of its members, and JSON inside it", () => {
  const unnamed = STRUCT({ "": typeOf("DATE"), b: new DuckDBVarCharType("JSON") });
  expect(engineTypeName(unnamed)).toBe('STRUCT("f1" DATE, "b" JSON)');
});

describe("the form of a column in the file of a result", () => {
  it.each([
    "BOOLEAN",
    "BIGINT",
    "DECIMAL(9,2)",
    "DOUBLE",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_NS",
    "TIMESTAMP WITH TIME ZONE",
    "TIME",
    "VARCHAR",
    "UUID",
    "BLOB",
    "ENUM('a')",
    "INTEGER[]",
    'STRUCT("a" DATE[])',
    "MAP(VARCHAR, BIGINT[2])",
  ])("is the engine's own for %s", (name) => {
    expect(["number", "text"].map((wide) => storedCell(typeOf(name), "c0", wide as "text"))).toEqual(["c0", "c0"]);
  });

  it.each([
    ["TIMESTAMP_S", "CAST(c0 AS TIMESTAMP)"],
    ["TIMESTAMP_MS[]", "CAST(c0 AS TIMESTAMP[])"],
    ["TIME WITH TIME ZONE", "CAST(c0 AS VARCHAR)"],
    ["TIME_NS", "CAST(c0 AS VARCHAR)"],
    ["INTERVAL[2]", "CAST(c0 AS VARCHAR[2])"],
    ["BIT", "CAST(c0 AS VARCHAR)"],
    ["GEOMETRY", "CAST(c0 AS VARCHAR)"],
    ["MAP(TIME_NS, BIT)", "CAST(c0 AS MAP(VARCHAR, VARCHAR))"],
  ])("is a cast for %s", (name, sql) => {
    expect(["number", "text"].map((wide) => storedCell(typeOf(name), "c0", wide as "text"))).toEqual([sql, sql]);
  });

  it.each([
    ["HUGEINT", "CAST(c0 AS VARCHAR)", "CAST(CAST(c0 AS VARCHAR) AS DECIMAL(38,0))"],
    ["BIGNUM[]", "CAST(c0 AS VARCHAR[])", "CAST(CAST(c0 AS VARCHAR[]) AS DECIMAL(38,0)[])"],
    [
      'STRUCT("u" UHUGEINT, "i" INTERVAL)',
      'CAST(c0 AS STRUCT("u" VARCHAR, "i" VARCHAR))',
      'CAST(CAST(c0 AS STRUCT("u" VARCHAR, "i" VARCHAR)) AS STRUCT("u" DECIMAL(38,0), "i" VARCHAR))',
    ],
  ])("is text or a number for %s", (name, text, number) => {
    expect(storedCell(typeOf(name), "c0", "text")).toBe(text);
    expect(storedCell(typeOf(name), "c0", "number")).toBe(number);
  });
});

it.each([
  ["FLOAT", "CAST(c AS VARCHAR)"],
  ["FLOAT[]", "CAST(c AS VARCHAR[])"],
  ['STRUCT("f" FLOAT, "h" HUGEINT)', 'CAST(c AS STRUCT("f" VARCHAR, "h" VARCHAR))'],
  ["DOUBLE", "c"],
  ["HUGEINT", "c"],
  ["JSON[]", "c"],
])("selects a stored column of the type %s for a page as %s", (name, sql) => {
  expect(pageCell(typeOf(name), "c")).toBe(sql);
});

it.each([
  ["BIGINT", "c"],
  ["VARCHAR", "c"],
  ["HUGEINT", "CAST(c AS HUGEINT)"],
  ["HUGEINT[]", "CAST(c AS HUGEINT[])"],
  ["UHUGEINT", "CAST(CAST(c AS VARCHAR) AS BIGNUM)"],
  ["BIGNUM[2][]", "CAST(CAST(c AS VARCHAR[2][]) AS BIGNUM[2][])"],
  ["INTERVAL", "CAST(c AS INTERVAL)"],
  ["TIME WITH TIME ZONE", "CAST(c AS TIME WITH TIME ZONE)"],
  ["TIME_NS[12]", "CAST(c AS TIME_NS[12])"],
  ["BIT", "CAST(c AS BIT)"],
  ["ENUM('a\n', 'b')[]", "CAST(c AS ENUM('a\n', 'b')[])"],
  ["TIME", "c"],
  ['STRUCT("a" BIT)', "c"],
  ['STRUCT("ENUM(" INTERVAL)', "c"],
  ["MAP(VARCHAR, HUGEINT)", "c"],
])("compares a stored column of the type %j as %j", (stored, sql) => {
  expect(comparedCell(stored, "c")).toBe(sql);
});
