import { expect, it } from "vitest";
import { formOf, isNullable } from "../../src/protocol/column-type.ts";

it.each([
  ["Bool", "BOOLEAN", "boolean"],
  ["Int8", "TINYINT", "number"],
  ["Int16", "SMALLINT", "number"],
  ["Int32", "INTEGER", "number"],
  ["Int64", "BIGINT", "number"],
  ["Int128", "HUGEINT", "number"],
  ["UInt16", "USMALLINT", "number"],
  ["UInt32", "UINTEGER", "number"],
  ["UInt64", "UBIGINT", "number"],
  ["Float32", "FLOAT", "number"],
  ["Float64", "DOUBLE", "number"],
  ["BFloat16", "FLOAT", "number"],
  ["Date", "DATE", "date"],
  ["Date32", "DATE", "date"],
  ["UUID", "UUID", "string"],
  ["Decimal(38, 0)", "DECIMAL(38,0)", "number"],
  ["Decimal(39, 0)", "VARCHAR", "string"],
  ["DateTime64(7)", "VARCHAR", "string"],
  ["Point", 'STRUCT("1" DOUBLE, "2" DOUBLE)', "object"],
  ["Ring", 'STRUCT("1" DOUBLE, "2" DOUBLE)[]', "array"],
  ["MultiPoint", 'STRUCT("1" DOUBLE, "2" DOUBLE)[]', "array"],
  ["LineString", 'STRUCT("1" DOUBLE, "2" DOUBLE)[]', "array"],
  ["MultiLineString", 'STRUCT("1" DOUBLE, "2" DOUBLE)[][]', "array"],
  ["Polygon", 'STRUCT("1" DOUBLE, "2" DOUBLE)[][]', "array"],
  ["Map(Array(String), String)", "MAP(VARCHAR, VARCHAR)", "object"],
  ["Map(UInt8, Map(String, Bool))", "MAP(UTINYINT, MAP(VARCHAR, BOOLEAN))", "object"],
  ["Tuple(a Bool, A Bool, A_2 Bool)", 'STRUCT("a" BOOLEAN, "A_2" BOOLEAN, "A_2_3" BOOLEAN)', "object"],
  ["Tuple(`a``b` Bool, `c\\\\d``e` Bool)", 'STRUCT("a`b" BOOLEAN, "c\\d`e" BOOLEAN)', "object"],
  ['Tuple(`a"b"c` Bool)', 'STRUCT("a""b""c" BOOLEAN)', "object"],
  ["UInt128", "UHUGEINT", "number"],
  ["Int256", "VARCHAR", "string"],
  ["Decimal(18, 2)", "DECIMAL(18,2)", "number"],
  ["Decimal(76, 40)", "VARCHAR", "string"],
  ["DateTime", "TIMESTAMP WITH TIME ZONE", "date"],
  ["DateTime('Europe/Berlin')", "TIMESTAMP WITH TIME ZONE", "date"],
  ["DateTime64(6, 'UTC')", "TIMESTAMP WITH TIME ZONE", "date"],
  ["DateTime64(9)", "VARCHAR", "string"],
  ["LowCardinality(Nullable(String))", "VARCHAR", "string"],
  ["Nullable(Nothing)", "VARCHAR", "string"],
  ["Enum8('a' = 1, 'it\\'s, )' = 2)", "VARCHAR", "string"],
  ["Array(Nullable(UInt8))", "UTINYINT[]", "array"],
  ["Array(Enum8('),(' = 1))", "VARCHAR[]", "array"],
  ["Map(LowCardinality(String), Array(Date))", "MAP(VARCHAR, DATE[])", "object"],
  ["Map(Tuple(UInt8, UInt8), UInt8)", "MAP(VARCHAR, UTINYINT)", "object"],
  ["Tuple(UInt8, Tuple(Bool))", 'STRUCT("1" UTINYINT, "2" STRUCT("1" BOOLEAN))', "object"],
  ["Tuple(a UInt8, A String, `x\\`, y` Date)", 'STRUCT("a" UTINYINT, "A_2" VARCHAR, "x`, y" DATE)', "object"],
  ['Tuple(`a"b` UInt8)', 'STRUCT("a""b" UTINYINT)', "object"],
  ["Tuple(d DateTime64(3, 'UTC'), e Enum8('x y' = 1))", 'STRUCT("d" TIMESTAMP WITH TIME ZONE, "e" VARCHAR)', "object"],
  ["Tuple(Enum8('x y' = 1), Decimal(9, 2))", 'STRUCT("1" VARCHAR, "2" DECIMAL(9,2))', "object"],
  ["Tuple(Enum8('x, (' = 1), Bool)", 'STRUCT("1" VARCHAR, "2" BOOLEAN)', "object"],
  ["Tuple()", "VARCHAR", "string"],
  ["Nested(a UInt8, b Nested(c String))", 'STRUCT("a" UTINYINT, "b" STRUCT("c" VARCHAR)[])[]', "array"],
  ["MultiPolygon", 'STRUCT("1" DOUBLE, "2" DOUBLE)[][][]', "array"],
  ["SimpleAggregateFunction(sum, Decimal(38, 2))", "DECIMAL(38,2)", "number"],
  ["AggregateFunction(uniq, String)", "VARCHAR", "string"],
  ["JSON(max_dynamic_paths=8, a.b UInt32, SKIP c)", "JSON", "object"],
  ["Variant(String, UInt64)", "VARCHAR", "string"],
  [" Nullable( Int8 ) ", "TINYINT", "number"],
  ["Map( String , Int8 )", "MAP(VARCHAR, TINYINT)", "object"],
  ["Tuple(a Enum8('x\ny' = 1), b  Bool)", 'STRUCT("a" VARCHAR, "b" BOOLEAN)', "object"],
  ["FutureType(1, 'x')", "VARCHAR", "string"],
] as const)("stores %s as %s", (type, stored, kind) => {
  expect(formOf(type)).toEqual({ stored, kind });
});

it("knows which types have NULL", () => {
  expect(["Nullable(Int8)", "LowCardinality(Nullable(String))", "Variant(String)", "Dynamic"].every(isNullable)).toBe(
    true,
  );
  expect(
    ["Int8", "Array(Nullable(Int8))", "LowCardinality(String)", "Map(String, Variant(Bool))", "Dynamics"].some(
      isNullable,
    ),
  ).toBe(false);
});
