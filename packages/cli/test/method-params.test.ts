import { describe, expect, it } from "vitest";
import { commands } from "../src/generated/commands.ts";
import type { MethodFlag } from "../src/method-command.ts";
import {
  camelCase,
  methodParams,
  parseJson,
  parseList,
  parseNumber,
  parsePair,
  parseScalar,
  parseSeconds,
} from "../src/method-params.ts";

const flag = (name: string, path: readonly string[], kind: MethodFlag["kind"]): MethodFlag => ({
  name,
  path,
  kind,
  required: false,
  brief: "",
});

describe("params", () => {
  it("hold what was given where it belongs, and nothing else", () => {
    const flags = [
      flag("query-run-id", ["queryRunId"], "string"),
      flag("page-number", ["page", "number"], "number"),
      flag("page-size", ["page", "size"], "number"),
      flag("tag", ["tags"], "map"),
      flag("filters", ["filters"], "json"),
    ];
    const tag = [parsePair("a=b=c"), parsePair("__proto__=x")];
    const params = methodParams(flags, { queryRunId: "r", pageNumber: 2, pageSize: 0, tag, json: false });
    expect(JSON.stringify(params)).toBe(
      '{"queryRunId":"r","page":{"number":2,"size":0},"tags":{"a":"b=c","__proto__":"x"}}',
    );
  });

  it("have a flag of its own for each member of every method", () => {
    for (const { flags } of commands) expect(new Set(flags.map(({ name }) => camelCase(name))).size).toBe(flags.length);
  });
});

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
