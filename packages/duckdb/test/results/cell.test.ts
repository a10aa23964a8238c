import {
  ARRAY,
  arrayValue,
  BIGINT,
  BLOB,
  BOOLEAN,
  blobValue,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBDateValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  decimalValue,
  FLOAT,
  INTEGER,
  LIST,
  listValue,
  MAP,
  mapValue,
  STRUCT,
  structValue,
  TIMESTAMP,
  TIMESTAMP_NS,
  VARCHAR,
} from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { parseStoredType } from "../../src/engine/stored-type.ts";
import { cellWriter } from "../../src/results/cell.ts";

const json = parseStoredType("JSON");
const struct = STRUCT({ a: INTEGER, 'b"': VARCHAR });

describe("a value", () => {
  it.each<[DuckDBType, DuckDBValue, string]>([
    [BOOLEAN, true, "true"],
    [INTEGER, -5, "-5"],
    [INTEGER, null, "null"],
    [BIGINT, 9_007_199_254_740_991n, "9007199254740991"],
    [BIGINT, 9_007_199_254_740_992n, '"9007199254740992"'],
    [DECIMAL(5, 2), decimalValue(-150n, 5, 2), "-1.50"],
    [DOUBLE, 1, "1.0"],
    [DOUBLE, Number.NaN, '"NaN"'],
    [DOUBLE, Number.POSITIVE_INFINITY, '"Infinity"'],
    [DOUBLE, Number.NEGATIVE_INFINITY, '"-Infinity"'],
    [FLOAT, "0.1", "0.1"],
    [FLOAT, "nan", '"NaN"'],
    [FLOAT, "inf", '"Infinity"'],
    [FLOAT, "-inf", '"-Infinity"'],
    [DATE, new DuckDBDateValue(1), '"1970-01-02"'],
    [TIMESTAMP, new DuckDBTimestampValue(1_500_000n), '"1970-01-01T00:00:01.500Z"'],
    [TIMESTAMP_NS, new DuckDBTimestampNanosecondsValue(1_000_000_001n), '"1970-01-01T00:00:01.000000001Z"'],
    [BLOB, blobValue(Uint8Array.of(255, 97)), '"/2E="'],
    [VARCHAR, 'a"\n', '"a\\"\\n"'],
    [VARCHAR, "1", '"1"'],
    [json, '{"a": 12345678901234567890}', '{"a":"12345678901234567890"}'],
    [json, "1.10", "1.10"],
    [parseStoredType("VARIANT"), "[1]", "[1]"],
    [LIST(INTEGER), listValue([1, null, 2]), "[1,null,2]"],
    [LIST(json), listValue(['"a"', null]), '["a",null]'],
    [ARRAY(VARCHAR, 2), arrayValue(["a", "b"]), '["a","b"]'],
    [struct, structValue({ a: 1, 'b"': "x" }), '{"a":1,"b\\"":"x"}'],
    [struct, structValue({ a: null, 'b"': null }), '{"a":null,"b\\"":null}'],
    [struct, structValue({ a: 1 }), '{"a":1,"b\\"":null}'],
    [
      MAP(VARCHAR, INTEGER),
      mapValue([
        { key: "k", value: 1 },
        { key: '"', value: null },
      ]),
      '{"k":1,"\\"":null}',
    ],
    [MAP(BIGINT, BOOLEAN), mapValue([{ key: 1n, value: true }]), '{"1":true}'],
    [MAP(LIST(INTEGER), INTEGER), mapValue([{ key: listValue([1, 2]), value: 3 }]), '{"[1,2]":3}'],
  ])("of type %s is written as JSON: %o", (type, value, text) => {
    expect(cellWriter(type)(value)).toBe(text);
  });
});
