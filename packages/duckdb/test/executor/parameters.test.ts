import { BIGINT, DOUBLE, type DuckDBPreparedStatement, type DuckDBType, SQLNULL, VARCHAR } from "@duckdb/node-api";
import type { Parameters } from "@quern/query-run/record";
import { expect, it } from "vitest";
import { checkParameters, describeParameters, engineValues, nullParameters } from "../../src/executor/parameters.ts";

/** Returns a statement with parameters of these names. The type of one without a type is not known. */
function statement(names: readonly string[], types: Readonly<Record<string, DuckDBType | string>> = {}) {
  const prepared = {
    parameterCount: names.length,
    parameterName: (index: number) => names[index - 1],
    parameterType(index: number) {
      const type = types[names[index - 1] ?? ""];
      if (type === undefined) throw new Error("unknown type");
      return type;
    },
  };
  return prepared as unknown as DuckDBPreparedStatement;
}

it("describes the parameters of a statement, with the types that the engine knows", () => {
  expect(describeParameters(statement(["b", "a", "c"], { b: BIGINT, a: "ANY" }))).toEqual([
    { name: "b", type: "BIGINT" },
    { name: "a", type: null },
    { name: "c", type: null },
  ]);
  expect(describeParameters(statement([]))).toEqual([]);
});

it.each<[string[], Parameters | null]>([
  [[], null],
  [[], []],
  [
    ["1", "2"],
    ["a", null],
  ],
  [["a", "b"], { b: 1, a: 2 }],
])("accepts for the parameters %j the values %j", (names, values) => {
  expect(() => checkParameters(statement(names), values)).not.toThrow();
});

it.each<[string[], Parameters | null, string]>([
  [["1", "2"], null, "no value for $1, $2"],
  [["1", "2"], ["a"], "no value for $2"],
  [["1"], ["a", "b", "c"], "the statement has no parameter $2, $3"],
  [["a"], ["x"], "no value for $a; the statement has no parameter $1"],
  [["a", "b"], { a: 1, c: 2 }, "no value for $b; the statement has no parameter $c"],
])("refuses for the parameters %j the values %j", (names, values, problem) => {
  expect(() => checkParameters(statement(names), values)).toThrow(
    expect.objectContaining({
      failure: {
        name: "ParameterError",
        message: `Invalid parameters: ${problem}.`,
        data: { category: "USER", engine: "duckdb", retryable: false },
      },
    }),
  );
});

it.each<[string[], Parameters]>([
  [[], []],
  [
    ["1", "2"],
    [null, null],
  ],
  [["a", "b"], { a: null, b: null }],
  [["1", "a"], { 1: null, a: null }],
  [["a1"], { a1: null }],
  [["1a"], { "1a": null }],
])("has a null for each of the parameters %j", (names, values) => {
  expect(nullParameters(statement(names))).toEqual(values);
});

it("binds values by position or by name", () => {
  const positional = engineValues([1, "a", null], statement(["1", "2", "3"]));
  expect(positional).toEqual({ values: [1n, "a", null], types: [BIGINT, VARCHAR, SQLNULL] });
  const named = engineValues({ x: 0.5, y: "b" }, statement(["x", "y"]));
  expect(named).toEqual({ values: { x: 0.5, y: "b" }, types: { x: DOUBLE, y: VARCHAR } });
});
