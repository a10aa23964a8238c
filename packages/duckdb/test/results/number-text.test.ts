import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { doubleText, jsonText, numberText } from "../../src/results/number-text.ts";

/** Doubles of all sizes, the same in each run, with some at the boundaries of the notations. */
function doubles(count: number): number[] {
  const bits = new DataView(new ArrayBuffer(8));
  let seed = 88_172_645_463_325_252n;
  const next = (): bigint => {
    seed ^= BigInt.asUintN(64, seed << 13n);
    seed ^= seed >> 7n;
    seed ^= BigInt.asUintN(64, seed << 17n);
    return seed;
  };
  const ofBits = Array.from({ length: count }, () => {
    bits.setBigUint64(0, next());
    return bits.getFloat64(0);
  });
  const decimals = Array.from({ length: count }, () => Number(next() % 10_000_000n) / 10 ** Number(next() % 14n));
  const edges = [0, -0, 1, -1, 1e-4, 9.9999e-5, 1e15, 9_999_999_999_999_998, 1e16, 5e-324, 1e300, 2 ** 53];
  return [...ofBits.filter(Number.isFinite), ...decimals, ...edges];
}

it("doubles have the engine's own text, which is JSON", async () => {
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run("CREATE TABLE t (n DOUBLE)");
  const appender = await connection.createAppender("t");
  const values = doubles(5_000);
  for (const value of values) {
    appender.appendDouble(value);
    appender.endRow();
  }
  appender.closeSync();
  const texts = (await connection.runAndReadAll("SELECT CAST(n AS VARCHAR) FROM t")).getColumns()[0];
  expect(values.map(doubleText)).toEqual(texts);
  expect(values.map((value) => JSON.parse(doubleText(value)))).toEqual(values);
});

it("JSON keeps the digits of its numbers when others have to become strings", () => {
  expect(jsonText('{"a": 1.10, "b": 12345678901234567890, "c": -0.0}')).toBe(
    '{"a":1.10,"b":"12345678901234567890","c":-0.0}',
  );
});

it.each([
  ["7", "7"],
  ["-7", "-7"],
  ["9007199254740991", "9007199254740991"],
  ["9007199254740992", '"9007199254740992"'],
  ["-9007199254740992", '"-9007199254740992"'],
  ["-1.5", "-1.5"],
  ["0.10", "0.10"],
  ["12345678901234.50", "12345678901234.50"],
  ["1234567890123.45", "1234567890123.45"],
  ["1234567890123.456", "1234567890123.456"],
  ["1234567890123.4567", '"1234567890123.4567"'],
  ["1234567890123.45678", '"1234567890123.45678"'],
  ["-1234567890123.45678", '"-1234567890123.45678"'],
  ["1.000000000000000", "1.000000000000000"],
  ["1.0000000000000001", '"1.0000000000000001"'],
  ["0.00000000000000000001", "0.00000000000000000001"],
  ["-0.00000000000000000001", "-0.00000000000000000001"],
  ["100000000000000000.00", "100000000000000000.00"],
  ["0.000000123456789012345", "0.000000123456789012345"],
  ["0.0000001234567890123456", '"0.0000001234567890123456"'],
  ["1e+16", "1e+16"],
  ["1e400", '"1e400"'],
])("the number %s is %s in JSON", (text, json) => expect(numberText(text)).toBe(json));

it.each([
  ['{"a": 1}', '{"a": 1}'],
  ["[1, ]", '"[1, ]"'],
  ["NaN", '"NaN"'],
  ["12345678901234567890", '"12345678901234567890"'],
  ["1e400", '"1e400"'],
  ["[1.5, 12345678901234567890, true, null]", '[1.5,"12345678901234567890",true,null]'],
])("the JSON %s becomes %s", (text, json) => expect(jsonText(text)).toBe(json));
