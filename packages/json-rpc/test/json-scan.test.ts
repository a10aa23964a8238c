import { describe, expect, it, test } from "vitest";
import { arrayText, byteLength, joined } from "../src/bytes.ts";
import { isTooDeep, topLevelId } from "../src/json-scan.ts";
import { createReplyBudget } from "../src/reply-budget.ts";
import { checkedText, preencoded, preencodedBytes, resultText } from "../src/result-text.ts";

describe("a text is too deep", () => {
  it.each([
    ["[[[]]]", 2, true],
    ["[[[]]]", 3, false],
    ["[{}]  ", 1, true],
    ["[{}]", 2, false],
    ["[[],[],[]]", 2, false],
    ["{}{}{}", 1, false],
    ['["[[[[",0]', 1, false],
    ['["\\"[[[",0]', 1, false],
    ['["\\\\",[[]]]', 2, true],
    ['["\\\\\\"[[",[]]', 2, false],
    ['["[[[[[[', 1, false],
    ["[", 0, true],
    ["", 0, false],
    ["[[]]", 1, true],
  ])("%s for %i levels: %j", (text, maxDepth, expected) => {
    expect(isTooDeep(text, maxDepth)).toBe(expected);
  });
});

test.each([
  ['{"id":1}', "1"],
  ['{"id" : 1}', "1"],
  ['{"id":-12345678901234567890.50e+10}', "-12345678901234567890.50e+10"],
  ['{"id":null}', "null"],
  ['{"id":"a\\u0062"}', '"ab"'],
  ['{"id":"a\\"b"}', '"a\\"b"'],
  ['{"id":"\\x"}', undefined],
  ['{"id":"a', undefined],
  ['{"id":true}', undefined],
  ['{"id":{}}', undefined],
  ['{"id":1,"id":2}', "2"],
  ['{"id":1,"id":{}}', "1"],
  ['{"params":{"id":1}}', undefined],
  ['{"params":[{"id":1}],"id":2,"x":{"id":3}}', "2"],
  ['{"a":"id","id":7}', "7"],
  ['{"a":"id"}', undefined],
  ['{"a":"\\"id\\":5","id":6}', "6"],
  ['{"idx":1}', undefined],
  ['[{"id":1}]', undefined],
  ["", undefined],
])("the id of %s is %s", (text, id) => {
  expect(topLevelId(text)).toBe(id);
});

const bytes = (text: string) => new TextEncoder().encode(text);

describe("a text in pieces", () => {
  it("is an array of its items", () => {
    expect(arrayText([])).toEqual(["[", "]"]);
    expect(arrayText(["1"])).toEqual(["[", "1", "]"]);
    expect(arrayText(["1", ["2", "3"]])).toEqual(["[", "1", ",", "2", "3", "]"]);
    expect(arrayText([["1", "2"], "3"])).toEqual(["[", "1", "2", ",", "3", "]"]);
  });

  it("has the length of its bytes", () => {
    expect([byteLength("ö"), byteLength(["ö", bytes("☃"), "a"]), byteLength([])]).toEqual([2, 6, 0]);
  });

  it("has adjacent strings joined", () => {
    const piece = bytes("c");
    expect(joined(["a", "b", piece, "d", "", "e", piece, piece])).toEqual(["ab", piece, "de", piece, piece]);
    expect(joined([])).toEqual([]);
  });
});

describe("a result", () => {
  it("is JSON text, or null", () => {
    expect([resultText({ a: 1 }), resultText(undefined), resultText(null), resultText("a")]).toEqual([
      '{"a":1}',
      "null",
      "null",
      '"a"',
    ]);
    expect(() => resultText(1n)).toThrow(TypeError);
  });

  it("that is preencoded is sent as it is", () => {
    const piece = bytes("2");
    expect(resultText(preencoded(["[", piece, "]"]))).toEqual(["[", piece, "]"]);
    expect(resultText(preencoded(piece))).toEqual([piece]);
    expect([preencodedBytes(preencoded("ö")), preencodedBytes("ö"), preencodedBytes(null)]).toEqual([2, 0, 0]);
  });

  it("is validated as a value, and once if it is preencoded", () => {
    const seen: unknown[] = [];
    const text = checkedText({
      "~standard": {
        version: 1,
        vendor: "a",
        validate(value) {
          seen.push(value);
          const issue = { message: "", path: [], pointer: "/a", expected: "a text", received: "7" };
          return value === 7 ? { issues: [issue] } : { value };
        },
      },
    });
    const result = preencoded(["[", bytes("1"), "]"]);
    expect([text(result), text(result), text({ a: 1 })]).toEqual([
      ["[", bytes("1"), "]"],
      ["[", bytes("1"), "]"],
      '{"a":1}',
    ]);
    expect(seen).toEqual([[1], { a: 1 }]);
    expect(() => text(7)).toThrow("The result is not valid: /a: expected a text, received 7");
    expect(() => text(preencoded("7"))).toThrow("The result is not valid");
  });
});

test("answers fit until they have as many bytes as the limit", () => {
  const budget = createReplyBudget(5);
  const message = "Invalid Request: expected a batch whose answers have at most 5 bytes, received more";
  const issues = [{ pointer: "", expected: "a batch whose answers have at most 5 bytes", received: "more" }];
  const error = { code: -32600, message, data: { issues } };
  expect(budget.error).toEqual(error);
  expect([budget.fit("1", ["a", "ö"]), budget.isSpent]).toEqual([["aö"], false]);
  expect([budget.fit("2", "12"), budget.isSpent]).toEqual([["12"], false]);
  expect(budget.fit(undefined, "3")).toBe(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
  expect(JSON.parse(String(budget.fit("4", "3"))).id).toBe(4);
  expect([budget.fit("5", ""), budget.isSpent]).toEqual([[""], true]);
});
