import { describe, expect, it } from "vitest";
import { parseJson, parseList, parseNumber, parsePair, parseScalar, parseSeconds } from "../src/flags.ts";

describe("a value", () => {
  it.each([
    ["5", 5],
    ["-1.5e3", -1500],
    ["true", true],
    ["null", null],
    ["Europe", "Europe"],
    ['"5"', "5"],
    ["9007199254740993", "9007199254740993"],
    ["007", "007"],
    ["2026-11-20", "2026-11-20"],
    ["", ""],
    ["[1]", "[1]"],
    ["trueish", "trueish"],
  ])("typed as %s is %j", (text, value) => {
    expect(parseScalar(text)).toBe(value);
  });

  it("is refused where it is of another kind", () => {
    expect(() => parseNumber("many")).toThrow(SyntaxError);
    expect(() => parseNumber("")).toThrow(SyntaxError);
    for (const seconds of ["0", "-1", "1e10"]) expect(() => parseSeconds(seconds)).toThrow(SyntaxError);
    expect(() => parsePair("key")).toThrow(SyntaxError);
    expect(() => parsePair("=value")).toThrow(SyntaxError);
    expect(() => parseJson("{")).toThrow(SyntaxError);
  });
});

describe("a list", () => {
  it("has texts with commas between them, or is a JSON array of texts", () => {
    expect(parseList("a, b ,c")).toEqual(["a", "b", "c"]);
    expect(parseList('["a, b", "c"]')).toEqual(["a, b", "c"]);
  });

  it.each(["[1]", '["a", 1]', "[a, b]"])("is not %s", (text) => {
    expect(() => parseList(text)).toThrow(SyntaxError);
  });
});
