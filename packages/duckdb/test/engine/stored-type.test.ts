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
    "DECIMAL(38,38)",
    "DECIMAL(1,0)",
    "TIMESTAMP_S[100000]",
    'UNION("n""m" BIGINT[3], "t" UNION("a" BIT))',
    "ENUM('a', '''', 'b''''c')",
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
    ["DECIMAL(0,0)", 13],
    ["DECIMAL(1,0,0)", 15],
    ["DECIMAL(100,0)", 11],
    ["DECIMAL(,1)", 9],
    ["DECIMAL(4,2", 12],
    ["MAP(DATE, DATE, DATE)", 22],
    ["BIGINT[1000000]", 7],
    ["BIGINT[1", 7],
    ["DATE DATE", 5],
    [" DATE", 1],
    ["ENUM(a)", 6],
    ["ENUM('a',  'b')", 11],
    ['STRUCT("a"BIGINT)', 8],
    ['STRUCT("a" BIGINT; "b" BIGINT)', 18],
    [`${'STRUCT("a" '.repeat(101)}DATE${")".repeat(101)}`, 1_112],
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

  it("nests up to 100 levels, and lists more often", () => {
    const deepest = `${'STRUCT("a" '.repeat(100)}DATE${"[]".repeat(101)}${")".repeat(100)}`;
    expect(engineTypeName(parseStoredType(deepest))).toBe(deepest);
  });

  it("is one of each simple type of the engine", () => {
    const names = [
      ..."BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT".split(" "),
      ..."BIGNUM FLOAT DOUBLE VARCHAR BLOB BIT UUID GEOMETRY VARIANT SQLNULL JSON DATE TIME TIME_NS".split(" "),
      ..."TIMESTAMP TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS INTERVAL".split(" "),
      "TIME WITH TIME ZONE",
      "TIMESTAMP WITH TIME ZONE",
    ];
    expect(names.map((name) => engineTypeName(parseStoredType(name)))).toEqual(names);
  });

  it.each([
    ["DECIMAL(4, 2)", "DECIMAL(4,2)"],
    ["DECIMAL(4)", "DECIMAL(4,0)"],
    ["MAP(DATE,BIT)", "MAP(DATE, BIT)"],
    ['STRUCT("a" DATE,"b" BIT)', 'STRUCT("a" DATE, "b" BIT)'],
  ])("may be written as %s", (text, name) => {
    expect(engineTypeName(parseStoredType(text))).toBe(name);
  });

  it("is what SQL names, and the engine's own name is not", () => {
    const column = { name: "n", kind: "number", engineType: "int4); DROP TABLE t; --", storedType: "INTEGER" } as const;
    expect(storedTypeName(column)).toBe("INTEGER");
    const { storedType: _, ...without } = column;
    expect(() => storedTypeName(without)).toThrow("Invalid stored type");
  });
});
