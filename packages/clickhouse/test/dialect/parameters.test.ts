import { describe, expect, it } from "vitest";
import { admit } from "../../src/dialect/gate.ts";
import { boundParameters, withSampleValues } from "../../src/dialect/parameters.ts";

const { sql, parameters } = await admit(
  "SELECT {n:UInt64}, '{s:String}', {'k': 1}, { l : Array(Tuple(a String)) }, {n:UInt64}",
);

describe("parameters", () => {
  it("are {name:Type} outside of quotes", () => {
    expect(parameters.map(({ name, type }) => [name, type])).toEqual([
      ["n", "UInt64"],
      ["l", "Array(Tuple(a String))"],
      ["n", "UInt64"],
    ]);
  });

  it("have a value of their type where a statement is analyzed without values", async () => {
    expect(withSampleValues(sql, parameters)).toBe(
      "SELECT defaultValueOfTypeName('UInt64'), '{s:String}', {'k': 1}, defaultValueOfTypeName('Array(Tuple(a String))'), defaultValueOfTypeName('UInt64')",
    );
    const [quoted] = (await admit("SELECT {e:Enum8('it\\'s' = 1)}")).parameters;
    expect(withSampleValues("{}", quoted === undefined ? [] : [{ ...quoted, start: 0, end: 2 }])).toBe(
      "defaultValueOfTypeName('Enum8(\\'it\\\\\\'s\\' = 1)')",
    );
  });

  it("get the values of their names", () => {
    expect(boundParameters(parameters, { n: 1, l: "[]" })).toEqual({ n: 1, l: "[]" });
    expect(boundParameters([], null)).toEqual({});
    expect(boundParameters([], [])).toEqual({});
  });

  it.each([
    [[1], "ClickHouse has none by position; write {name:Type} for each, and pass an object"],
    [{ n: 1 }, "l has no value; pass one"],
    [null, "n has no value; pass one"],
    [{ n: 1, l: "[]", m: 2 }, "the statement has no {m:Type}; did you mean n?"],
    [{ n: 1, l: "[]", abcdefgh: 2 }, "the statement has no {abcdefgh:Type}"],
  ])("are refused as %j", (given, reason) => {
    expect(() => boundParameters(parameters, given)).toThrow(`Invalid parameters: ${reason}.`);
  });
});
