import { describe, expect, it } from "vitest";
import { cutMember } from "../../src/protocol/member.ts";

const cut = (json: string) => {
  const { rest, value } = cutMember(Buffer.from(json), "data");
  return { rest: Buffer.from(rest).toString(), value: value && Buffer.from(value).toString() };
};

describe("cutting a member", () => {
  it.each([
    ['{"id":"q","data":[[1],[2]],"x":1}', '{"id":"q","data":null,"x":1}', "[[1],[2]]"],
    ['{ "data" : [ ["]}\\"" ] ] , "x" : {} }', '{ "data" : null , "x" : {} }', '[ ["]}\\"" ] ]'],
    ['{"a":"\\\\","data":{"segments":[{}]}}', '{"a":"\\\\","data":null}', '{"segments":[{}]}'],
    ['{"a":{"data":[1]},"data":9007199254740993}', '{"a":{"data":[1]},"data":null}', "9007199254740993"],
    ['{"a":"data","data":"ü\\u0022"}', '{"a":"data","data":null}', '"ü\\u0022"'],
    ['{"data":null}', '{"data":null}', "null"],
    ['{"a":[{"data":1}],"b":"\\"data\\":2"}', '{"a":[{"data":1}],"b":"\\"data\\":2"}', undefined],
    ["{}", "{}", undefined],
  ])("of %s", (json, rest, value) => {
    expect(cut(json)).toEqual({ rest, value });
  });

  it.each([
    ["", "expected a JSON object"],
    ["[1]", "expected a JSON object"],
    ["<html>", "expected a JSON object"],
    ['{"data":[1', "unexpected end of a JSON value"],
    ['{"data":1', "unexpected end of a JSON value"],
    ['{"data":"x', "unexpected end of a JSON string"],
    ['{"data', "unexpected end of a JSON string"],
    ['{"data":[{"a":"]}', "unexpected end of a JSON string"],
    ['{"data"', "expected a colon in a JSON object"],
    ['{"data" 1}', "expected a colon in a JSON object"],
    ['{"a":"b"', "unexpected end of a JSON object"],
    ['{"a":"b",', "unexpected end of a JSON object"],
  ])("refuses %j: %s", (json, message) => {
    expect(() => cut(json)).toThrow(new SyntaxError(message));
  });

  it("agrees with a JSON parser about random objects", () => {
    const texts = ['"', "\\", '\\"', "]", "}", "{", ",", ":", "data", "ü", "\n", ""];
    // JSON.parse of Node 26.10 confuses keys that are one escaped character.
    const keys = texts.filter((text) => !/["\\\n]/.test(text));
    const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;
    const value = (depth: number): unknown => {
      const kind = Math.floor(Math.random() * (depth > 3 ? 3 : 5));
      if (kind === 0) return pick([0, -1.5e10, true, null]);
      if (kind <= 2) return pick(texts) + pick(texts) + pick(texts);
      const items = Array.from({ length: 3 }, () => value(depth + 1));
      return kind === 3 ? items : Object.fromEntries(items.map((item) => [pick(keys), item]));
    };
    for (let round = 0; round < 2_000; round += 1) {
      const data = value(0);
      const object = { first: value(0), data, last: value(0) };
      const found = cut(JSON.stringify(object, null, round % 3));
      expect(JSON.parse(found.value ?? "")).toEqual(data);
      expect(JSON.parse(found.rest)).toEqual({ ...object, data: null });
    }
  });
});
