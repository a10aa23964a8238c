import { expect, test } from "vitest";
import { fill, fillText } from "../../src/server/placeholders.ts";
import { bodyBytes } from "../../src/server/request-body.ts";

// Built in two parts, so that the linter does not take placeholders for template strings.
const index = "$" + "{index}";
const run = "$" + "{run}";

test("a string that is only a placeholder becomes the value, other strings contain it", () => {
  expect(fill({ a: [index, `no ${index}`, run], b: 1 }, { index: 7, run: "r" })).toEqual({ a: [7, "no 7", "r"], b: 1 });
  expect(fillText(`{"id":${index}}`, { index: 7 })).toBe('{"id":7}');
});

test("a member named __proto__ is kept", () => {
  expect(JSON.stringify(fill(JSON.parse('{"__proto__":1}'), {}))).toBe('{"__proto__":1}');
});

test.each([run, `x ${run}`, "$" + "{toString}"])("%s is an error if nothing captured it", (text) => {
  const [name] = text.match(/\$.*/) ?? [];
  expect(() => fill(text, {})).toThrow(new Error(`unknown placeholder ${name}: no earlier step captured it`));
});

test("parts are concatenated and have an index", () => {
  const parts = [{ text: "[" }, { text: index, times: 3, separator: "," }, { text: "]", times: 2 }];
  expect(bodyBytes({ parts }, {}).toString()).toBe("[0,1,2]]");
});

test.each([
  [{}, ""],
  [{ json: { a: run } }, '{"a":"r"}'],
  [{ text: `"${run}"` }, '"r"'],
  [{ base64: "/w==" }, "\uFFFD"],
])("the body of %j is %j", (request, text) => {
  expect(bodyBytes(request, { run: "r" }).toString()).toBe(text);
});
