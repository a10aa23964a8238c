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
  [type("bigint"), "BIGINT", "bigint", "number"],
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
