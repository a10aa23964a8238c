import { describe, expect, it } from "vitest";
import {
  parseDateMs,
  parseDurationMs,
  parseJson,
  parseList,
  parseNumber,
  parsePair,
  parseParameter,
  parseScalar,
  parseSeconds,
} from "../src/flags.ts";

describe("a value", () => {
  it.each([
    ["5", 5],
    ["-1.5e3", "-1.5e3"],
    ["1e309", "1e309"],
    ["123e4567", "123e4567"],
    ["00123", "00123"],
    ["1.50", "1.50"],
    ["-0", "-0"],
    ["0.1", 0.1],
    ["NaN", "NaN"],
    ["Infinity", "Infinity"],
    ["1".repeat(39), "1".repeat(39)],
    ["true", true],
    ["null", null],
    ["Europe", "Europe"],
    ['"5"', "5"],
    ["007", "007"],
    ["2026-11-20", "2026-11-20"],
    ["", ""],
    ["[1]", "[1]"],
    ["trueish", "trueish"],
    ["untrue", "untrue"],
    ["nullable", "nullable"],
    ["x5", "x5"],
    ['x"5"', 'x"5"'],
    ["false", false],
    ["9007199254740991", 9007199254740991],
  ])("typed as %s is %j", (text, value) => {
    expect(parseScalar(text)).toBe(value);
  });

  it.each(["9007199254740993", "-9223372036854775808", "12345678901234567.89", "1".repeat(38)])(
    "keeps the digits of %s as a number, and inside JSON",
    (text) => {
      expect(JSON.stringify(parseScalar(text))).toBe(text);
      const filters = `[{"column":"n","eq":${text},"in":[1.0,"${text}"]}]`;
      expect(JSON.stringify(parseJson(filters))).toBe(filters);
    },
  );

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

it.each([
  ["90s", 90_000],
  ["15m", 900_000],
  ["1h", 3_600_000],
  ["7d", 604_800_000],
  ["90", undefined],
  ["1.5h", undefined],
  ["1w", undefined],
  ["-1s", undefined],
  ["1sec", undefined],
  ["", undefined],
])("the time %s has %j milliseconds", (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms);
});

describe("a pair", () => {
  it("is parted at its first sign of equality", () => {
    expect(parsePair("a=b=c")).toEqual(["a", "b=c"]);
    expect(parsePair("a=")).toEqual(["a", ""]);
    expect(parseParameter("a=1")).toEqual(["a", 1]);
  });
});

it("names the expected value in place of another", () => {
  expect(() => parseNumber("many")).toThrow("expected a number");
  expect(() => parseSeconds("0")).toThrow("expected more than 0 and at most 2147483 seconds");
  expect([parseSeconds("2147483"), parseSeconds("0.5")]).toEqual([2_147_483, 0.5]);
  expect(() => parseSeconds("2147484")).toThrow(SyntaxError);
  expect(() => parsePair("key")).toThrow("expected key=value");
  expect(() => parseJson("{")).toThrow("expected JSON");
  expect(() => parseList("[1]")).toThrow("expected texts separated by commas, or a JSON array of texts");
});

it.each([
  ["2027-01-31", Date.UTC(2027, 0, 31)],
  ["2027-01-31T12:00:00Z", Date.UTC(2027, 0, 31, 12)],
  ["45", Number.NaN],
  ["2045", Number.NaN],
  ["soon", Number.NaN],
])("the date %s is %d", (text, ms) => {
  expect(parseDateMs(text)).toBe(ms);
});
