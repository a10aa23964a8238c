import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { type Rows, resultSet } from "../../src/results/result-set.ts";

const plain: Readonly<Record<string, unknown>> = {};

describe("the columns of rows", () => {
  it.each<[unknown, string, string]>([
    ["x", "string", "VARCHAR"],
    [new Uint8Array(1), "string", "VARCHAR"],
    [1.5, "number", "DOUBLE"],
    [1n, "number", "DOUBLE"],
    [Number.NaN, "number", "DOUBLE"],
    [true, "boolean", "BOOLEAN"],
    [new Date(0), "date", "TIMESTAMP"],
    [{ b: 1 }, "object", "STRUCT"],
    [[1], "array", "LIST"],
    [null, "unknown", "UNKNOWN"],
  ])("follow from the value %s: %s, %s", (value, kind, engineType) => {
    expect(resultSet([{ a: null }, { a: value }, plain]).columns).toEqual([{ name: "a", kind, engineType }]);
  });

  it("are unknown if the types of the values differ", () => {
    expect(resultSet([{ a: 1 }, { a: "x" }]).columns).toEqual([{ name: "a", kind: "unknown", engineType: "UNKNOWN" }]);
  });

  it("are those of all rows, in the order of their first row", () => {
    const { columns, rows } = resultSet([
      { b: 1 },
      { a: 2, b: 3 },
      { c: 4, toString: 5 } as Readonly<Record<string, unknown>>,
    ]);
    expect(columns.map(({ name }) => name)).toEqual(["b", "a", "c", "toString"]);
    expect(rows).toEqual([
      [1, null, null, null],
      [3, 2, null, null],
      [null, null, 4, 5],
    ]);
  });

  it("are as a table says, with the types of the values where it says none", () => {
    const columns = [
      "n",
      { name: "n", type: "string" },
      { name: "t", engineType: "TIME" },
      { name: "d", type: "date" },
    ];
    const rows = [
      [1, "a", null, "2026-01-01"],
      [2, null, null, null],
    ];
    expect(resultSet({ columns, rows } as Rows)).toEqual({
      columns: [
        { name: "n", kind: "number", engineType: "DOUBLE" },
        { name: "n", kind: "string", engineType: "VARCHAR" },
        { name: "t", kind: "unknown", engineType: "TIME" },
        { name: "d", kind: "date", engineType: "TIMESTAMP" },
      ],
      rows: [
        [1, "a", null, "2026-01-01"],
        [2, null, null, null],
      ],
    });
  });
});

it.each<[unknown, unknown]>([
  [2n ** 53n - 1n, 9_007_199_254_740_991],
  [2n ** 53n, "9007199254740992"],
  [-(2n ** 53n), "-9007199254740992"],
  [Number.NaN, "NaN"],
  [Number.NEGATIVE_INFINITY, "-Infinity"],
  [-0.5, -0.5],
  [new Date(0), "1970-01-01T00:00:00.000Z"],
  [new Uint8Array([0, 255, 16]), "AP8Q"],
  [
    [1n, [new Date(0)], null],
    [1, ["1970-01-01T00:00:00.000Z"], null],
  ],
  [
    { a: { b: Number.NaN }, c: null },
    { a: { b: "NaN" }, c: null },
  ],
  [false, false],
  ["", ""],
])("the value %s is sent as %s", (value, wire) => {
  expect(resultSet([{ a: value }]).rows).toEqual([[wire]]);
});

it("takes an object that a value has twice", () => {
  const shared = { c: 1 };
  expect(resultSet([{ a: [shared, shared] }]).rows).toEqual([[[shared, shared]]]);
});

it("takes objects of another realm, such as those of a test runner", () => {
  expect(resultSet([{ a: runInNewContext("({ b: [1] })") }]).rows).toEqual([[{ b: [1] }]]);
  expect(resultSet([{ a: Object.assign(Object.create(null), { b: 1 }) }]).rows).toEqual([[{ b: 1 }]]);
});

describe("rows are refused", () => {
  const column = { name: "a" };
  const cyclic: unknown[] = [];
  cyclic.push({ cyclic });
  const cell = 'rows: invalid value in row 0, column "a": unsupported value: ';
  const useOthers = "use JSON values, bigint, Date or Uint8Array";
  const table = (type: string, value: unknown) => ({ columns: [{ name: "a", type }], rows: [[null], [value]] });

  it.each<[unknown, string]>([
    [null, "rows: expected an array of objects, or a table { columns, rows }"],
    [{ columns: "a", rows: [] }, "rows: expected an array of objects, or a table { columns, rows }"],
    [{ columns: ["a"], rows: {} }, "rows: expected an array of objects, or a table { columns, rows }"],
    [[{}, [1]], "rows: invalid row 1: expected a plain object; pass arrays as { columns, rows }"],
    [[1], "rows: invalid row 0: expected a plain object; pass arrays as { columns, rows }"],
    [{ columns: ["a", null], rows: [] }, "rows: invalid column 1: expected a name"],
    [{ columns: ["a"], rows: [[1], {}] }, "rows: invalid row 1: expected an array"],
    [{ columns: ["a"], rows: [[1], [1, 2]] }, "rows: invalid row 1: expected 1 values, got 2; pass null for NULL"],
    [{ columns: ["a", "b"], rows: [[1, 2], [1]] }, "rows: invalid row 1: expected 2 values, got 1; pass null for NULL"],
    [new Map([["a", 1]]), "rows: expected an array of objects, or a table { columns, rows }"],
    [[{}, new Map([["a", 1]])], "rows: invalid row 1: expected a plain object; pass arrays as { columns, rows }"],
    [[new Date(0)], "rows: invalid row 0: expected a plain object; pass arrays as { columns, rows }"],
    [[{ a: undefined }], `${cell}undefined; use null`],
    [{ columns: ["a"], rows: [[undefined]] }, `${cell}undefined; use null`],
    [{ columns: ["a"], rows: [new Array(1)] }, `${cell}undefined; use null`],
    [[{ a: { b: undefined } }], `${cell}undefined; use null`],
    [[{ a: new Array(1) }], `${cell}undefined; use null`],
    [[{ a: new Map([["b", 1]]) }], `${cell}Map; ${useOthers}`],
    [[{ a: [new Set([1])] }], `${cell}Set; ${useOthers}`],
    [[{ a: new URL("http://a") }], `${cell}URL; ${useOthers}`],
    [[{ a: /b/ }], `${cell}RegExp; ${useOthers}`],
    [[{ a: new Float32Array(1) }], `${cell}Float32Array; ${useOthers}`],
    [[{ a: new (class Money {})() }], `${cell}Money; ${useOthers}`],
    [[{ a: Object.create({ constructor: undefined }) }], `${cell}object; ${useOthers}`],
    [[{ a: cyclic }], `${cell}it contains itself; use a value without cycles`],
    [[new (class Car {})()], "rows: invalid row 0: expected a plain object; pass arrays as { columns, rows }"],
    [
      { columns: ["b", { ...column, kind: "text" }], rows: [] },
      "rows: column 1: unknown member kind; use one of name, type, engineType",
    ],
    [
      { columns: [{ ...column, engineType: 5 }], rows: [] },
      "rows: invalid engineType of column 0: expected a string, got 5",
    ],
    [
      { columns: ["b", { ...column, type: "text" }], rows: [] },
      'rows: unknown type of column 1: "text"; use one of string, number, date, boolean, object, array, unknown',
    ],
    [table("boolean", 2n), 'rows: invalid value in row 1, column "a": expected boolean, got 2'],
    [table("date", Number.NaN), 'rows: invalid value in row 1, column "a": expected date, got NaN'],
    [table("number", " "), 'rows: invalid value in row 1, column "a": expected number, got " "'],
    [table("number", "1x"), 'rows: invalid value in row 1, column "a": expected number, got "1x"'],
    [table("date", "soon"), 'rows: invalid value in row 1, column "a": expected date, got "soon"'],
    [table("boolean", "1"), 'rows: invalid value in row 1, column "a": expected boolean, got "1"'],
    [table("array", {}), 'rows: invalid value in row 1, column "a": expected array, got {}'],
    [table("array", Symbol("a")), 'rows: invalid value in row 1, column "a": expected array, got symbol'],
    [[{ a: () => 1 }], `${cell}function; ${useOthers}`],
    [[{ a: [Symbol("b")] }], `${cell}symbol; ${useOthers}`],
    [[{ a: new Date(Number.NaN) }], `${cell}Invalid Date; use a valid date or null`],
  ])("%#: with %s", (rows, message) => {
    expect(() => resultSet(rows as Rows)).toThrow(new TypeError(message));
  });

  it.each<[string, unknown]>([
    ["number", "NaN"],
    ["number", "-Infinity"],
    ["number", "1e400"],
    ["date", "2026-01-31"],
    ["unknown", true],
    ["object", { a: 1 }],
    ["array", []],
    ["string", new Uint8Array(1)],
    ["boolean", null],
  ])("not if a column of the type %s has %s", (type, value) => {
    expect(() => resultSet(table(type, value) as Rows)).not.toThrow();
  });
});
