import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineTypeName } from "../../src/engine/column-type.ts";
import { parseStoredType, storedTypeName } from "../../src/engine/stored-type.ts";

let connection: DuckDBConnection;
beforeAll(async () => {
  connection = await (await DuckDBInstance.create()).connect();
});
afterAll(() => connection.closeSync());

describe("a stored type", () => {
  it.each([
    "BOOLEAN",
    "UHUGEINT",
    "BIGNUM",
    "DECIMAL(38,10)",
    "TIME WITH TIME ZONE",
    "TIMESTAMP WITH TIME ZONE",
    "TIMESTAMP_NS",
    "TIME_NS",
    "JSON",
    "VARIANT",
    "ENUM('it''s', 'a, b)')",
    "INTEGER[2][]",
    'MAP(VARCHAR, STRUCT("1" DATE, "q""q" JSON[]))',
    'UNION("n" BIGINT, "t" VARCHAR)',
    'STRUCT("__proto__" INTEGER, "1" INTEGER, "a b" ENUM(\'x\'))',
  ])("%s is read as the engine reads it", async (text) => {
    const type = parseStoredType(text);
    const prepared = await connection.prepare(`SELECT CAST(NULL AS ${text})`);
    expect(type.toJson()).toEqual(prepared.columnType(0).toJson());
    expect(engineTypeName(type)).toBe(text);
  });

  it.each([
    ["", 1],
    ["varchar", 1],
    ["INTEGER); DROP TABLE t; --", 8],
    ["INTEGER OR 1", 8],
    ["DECIMAL(39,0)", 14],
    ["DECIMAL(4,5)", 13],
    ["STRUCT()", 8],
    ["STRUCT(a INTEGER)", 8],
    ["MAP(INTEGER)", 13],
    ["ENUM('a'", 9],
    ["BIGINT[", 7],
    [`${'STRUCT("a" '.repeat(200)}INTEGER${")".repeat(200)}`, 1_112],
  ])("%s is none", (text, character) => {
    expect(() => parseStoredType(text)).toThrow(`Invalid stored type at character ${character}: ${text}`);
  });

  it("is what SQL names, and the engine's own name is not", () => {
    const column = { name: "n", kind: "number", engineType: "int4); DROP TABLE t; --", storedType: "INTEGER" } as const;
    expect(storedTypeName(column)).toBe("INTEGER");
    const { storedType: _, ...without } = column;
    expect(() => storedTypeName(without)).toThrow("Invalid stored type");
  });
});
