import { expect, it } from "vitest";
import { kindOf, storedTypeOf, type TypeSignature } from "../../src/protocol/column-type.ts";

type Argument = TypeSignature["arguments"][number];

const type = (rawType: string, ...args: readonly Argument[]): TypeSignature => ({ rawType, arguments: args });
const long = (value: number): Argument => ({ kind: "LONG", value });
const inner = (value: TypeSignature): Argument => ({ kind: "TYPE", value });
const field = (name: string | undefined, typeSignature: TypeSignature): Argument => ({
  kind: "NAMED_TYPE",
  value: { ...(name === undefined ? {} : { fieldName: { name } }), typeSignature },
});

it.each([
  [type("boolean"), "BOOLEAN", "boolean", "boolean"],
  [type("tinyint"), "TINYINT", "tinyint", "number"],
  [type("smallint"), "SMALLINT", "smallint", "number"],
  [type("integer"), "INTEGER", "integer", "number"],
  [type("bigint"), "BIGINT", "bigint", "number"],
  [type("real"), "FLOAT", "real", "number"],
  [type("double"), "DOUBLE", "double", "number"],
  [type("date"), "DATE", "date", "date"],
  [type("time", long(6)), "TIME", "time(6)", "string"],
  [type("time", long(7)), "VARCHAR", "time(7)", "string"],
  [type("time with time zone", long(6)), "TIME WITH TIME ZONE", "time(6) with time zone", "string"],
  [type("timestamp", long(7)), "VARCHAR", "timestamp(7)", "string"],
  [type("timestamp with time zone", long(7)), "VARCHAR", "timestamp(7) with time zone", "string"],
  [type("timestamp"), "TIMESTAMP", "timestamp", "date"],
  [type("varbinary"), "BLOB", "varbinary", "string"],
  [type("uuid"), "UUID", "uuid", "string"],
  [type("json"), "JSON", "json", "object"],
  [type("array"), "VARCHAR[]", "array(timestamp(9))", "array"],
  [type("map", inner(type("array")), inner(type("json"))), "MAP(VARCHAR, JSON)", "map(array(date), json)", "object"],
  [type("map", inner(type("map")), inner(type("date"))), "MAP(VARCHAR, DATE)", "map(map(a, b), date)", "object"],
  [type("map", inner(type("json")), inner(type("date"))), "MAP(VARCHAR, DATE)", "map(json, date)", "object"],
  [type("row", inner(type("date"))), 'STRUCT("field0" DATE)', "row(date)", "object"],
  [type("array", field("a", type("date"))), "DATE[]", "array(date)", "array"],
  [type("decimal", long(38), long(2)), "DECIMAL(38,2)", "decimal(38, 2)", "number"],
  [type("varchar", long(5)), "VARCHAR", "varchar(5)", "string"],
  [type("timestamp", long(6)), "TIMESTAMP", "timestamp(6)", "date"],
  [type("timestamp", long(9)), "VARCHAR", "timestamp(9)", "string"],
  [type("timestamp with time zone", long(3)), "TIMESTAMP WITH TIME ZONE", "timestamp(3) with time zone", "date"],
  [type("time with time zone", long(12)), "VARCHAR", "time(12) with time zone", "string"],
  [type("interval day to second"), "VARCHAR", "INTERVAL DAY TO SECOND", "string"],
  [type("hyperloglog"), "VARCHAR", "HyperLogLog", "string"],
  [type("array", inner(type("json"))), "JSON[]", "array(json)", "array"],
  [type("map", inner(type("date")), inner(type("real"))), "MAP(DATE, FLOAT)", "map(date, real)", "object"],
  [type("map", inner(type("row")), inner(type("uuid"))), "MAP(VARCHAR, UUID)", "map(row(integer), uuid)", "object"],
  [
    type(
      "row",
      field('a"b', type("integer")),
      field(undefined, type("boolean")),
      field("A", type("date")),
      field("a", type("date")),
    ),
    'STRUCT("a""b" INTEGER, "field1" BOOLEAN, "A" DATE, "a_3" DATE)',
    'row("a""b" integer, boolean, a date)',
    "object",
  ],
] as const)("stores %o as %s", (signature, stored, text, kind) => {
  expect(storedTypeOf(signature)).toBe(stored);
  expect(kindOf(text)).toBe(kind);
});
