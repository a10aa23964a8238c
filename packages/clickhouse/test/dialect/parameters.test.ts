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

  it("are refused if their type cannot hold the day", async () => {
    const { parameters: dated } = await admit("SELECT {d:Date}, {t:DateTime('UTC')}");
    const within = { d: "2149-06-06", t: "2106-02-07 06:28:15" };
    expect(boundParameters(dated, within)).toEqual(within);
    expect(() => boundParameters(dated, { ...within, d: "1800-01-02" })).toThrow(
      "Invalid parameters: d is outside of Date, from 1970-01-01 to 2149-06-06: 1800-01-02; use Date32 or DateTime64.",
    );
    expect(() => boundParameters(dated, { ...within, t: "2106-02-08" })).toThrow("t is outside of DateTime('UTC')");
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
