import { once } from "node:events";
import type { Sample, SourceKindContext } from "@quern/adapter/contract";
import { type ArrayTable, failed } from "./array-kind.ts";

type Column = ArrayTable["columns"][number];

const column = (name: string, kind: Column["kind"], engineType: string, storedType = engineType): Column => ({
  name,
  kind,
  engineType,
  storedType,
});

/** A table, and its rows as pages show them. */
interface SampleTable extends ArrayTable {
  readonly shown: Sample["rows"];
}

function sample(
  columns: readonly Column[],
  rows: readonly (readonly unknown[])[],
  shown: Sample["rows"] = rows,
): SampleTable {
  return { columns, rows: () => rows, shown };
}

const noon = new Date("2026-11-22T12:00:00.000Z");

export const samples: Readonly<Record<keyof SourceKindContext["samples"], SampleTable>> = {
  types: sample(
    [
      column("flag", "boolean", "bool", "BOOLEAN"),
      column("n", "number", "int4", "INTEGER"),
      column("x", "number", "float8", "DOUBLE"),
      column("text", "string", "text", "VARCHAR"),
      column("day", "date", "date", "DATE"),
      column("at", "date", "timestamp", "TIMESTAMP"),
      column("bytes", "string", "bytea", "BLOB"),
      column("any", "object", "jsonb", "JSON"),
    ],
    [
      [true, 1, 0.5, 'a "b"\n', "2026-11-22", noon, new Uint8Array([0, 255]), { a: [1, null] }],
      [false, -2, Number.NaN, "", "0044-03-15", noon, new Uint8Array(), "text"],
    ],
    [
      [true, 1, 0.5, 'a "b"\n', "2026-11-22", "2026-11-22T12:00:00.000Z", "AP8=", { a: [1, null] }],
      [false, -2, "NaN", "", "0044-03-15", "2026-11-22T12:00:00.000Z", "", "text"],
    ],
  ),
  nulls: sample(
    [
      column("n", "number", "int8", "BIGINT"),
      column("none", "object", "jsonb", "JSON"),
      column("list", "array", "int4[]", "INTEGER[]"),
    ],
    [
      [1, null, null],
      [null, undefined, [null]],
    ],
    [
      [1, null, null],
      [null, null, [null]],
    ],
  ),
  bigNumbers: sample(
    [
      column("big", "number", "int8", "BIGINT"),
      column("huge", "number", "numeric", "HUGEINT"),
      column("price", "number", "numeric(38,10)", "DECIMAL(38,10)"),
    ],
    [[9_007_199_254_740_993n, 2n ** 126n, "1234567890123456789012345678.0123456789"]],
    [["9007199254740993", "85070591730234615865843651857942052864", "1234567890123456789012345678.0123456789"]],
  ),
  timestamps: sample(
    [column("at", "date", "timestamptz", "TIMESTAMP WITH TIME ZONE"), column("old", "date", "timestamp", "TIMESTAMP")],
    [["2026-11-22T12:00:00.123456+02:00", "0001-01-01T00:00:00.000001"]],
    [["2026-11-22T10:00:00.123456Z", "0001-01-01T00:00:00.000001Z"]],
  ),
  nested: sample(
    [
      column("orders", "array", "record[]", 'STRUCT("id" BIGINT, "it\'s ""quoted""" VARCHAR[])[]'),
      column("by_name", "object", "map", "MAP(VARCHAR, DECIMAL(9,2))"),
    ],
    [[[{ id: 9_007_199_254_740_993n, 'it\'s "quoted"': ["a", null] }], { a: "1.10" }]],
    [[[{ id: "9007199254740993", 'it\'s "quoted"': ["a", null] }], { a: 1.1 }]],
  ),
  empty: sample([column("n", "number", "int4", "INTEGER")], []),
};

const text = [column("text", "string", "text", "VARCHAR")];

/** Tables for the statements of the contract. */
export const endings: Readonly<Record<string, ArrayTable>> = {
  late: {
    columns: text,
    *rows() {
      for (let row = 0; row < 5_000; row += 1) yield [`row ${row}`];
      throw failed("DivisionByZero", "USER", "division by zero in row 5000");
    },
  },
  endless: {
    columns: text,
    async *rows(signal) {
      yield ["the first row"];
      await once(signal, "abort");
    },
  },
};

/** Returns a table of `count` different rows. */
export function manyRows(count: number): ArrayTable {
  const rows = function* () {
    for (let row = 0; row < count; row += 1) yield [`row ${row} ${Math.sin(row)}`];
  };
  return { columns: text, rows };
}
