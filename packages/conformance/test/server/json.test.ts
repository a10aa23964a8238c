import { expect, test } from "vitest";
import { areEqual, idTexts, valueAt } from "../../src/server/json.ts";

test.each([
  ["", { a: 1 }, { a: 1 }],
  ["/a/1/b", { a: [0, { b: 2 }] }, 2],
  ["/a~1b/~0", { "a/b": { "~": 3 } }, 3],
  ["/toString", {}, undefined],
  ["/a/b/c", { a: 1 }, undefined],
])("the pointer %j finds its value", (pointer, value, found) => {
  expect(valueAt(value, pointer)).toEqual(found);
});

test("values are equal whatever the order of their members", () => {
  expect(areEqual({ a: 1, b: [{}] }, { b: [{}], a: 1 })).toBe(true);
  expect(areEqual([1], { 0: 1 })).toBe(false);
  expect(areEqual({ a: 1 }, { a: 1, b: 1 })).toBe(false);
});

test("ids keep their text", () => {
  expect(idTexts('[{"id":9007199254740993},{"id":"7"},{"id":null},{"id":{}},3]')).toEqual([
    "9007199254740993",
    '"7"',
    "null",
    undefined,
    undefined,
  ]);
});

test("a lone surrogate in an id is read as U+FFFD", () => {
  expect(idTexts('{"id":"a\\udfff"}')).toEqual(idTexts('{"id":"a\uFFFD"}'));
  expect(idTexts('{"id":"\\ud83d\\ude00"}')).toEqual(['"\u{1F600}"']);
});

test("equal ids have equal texts", () => {
  expect(idTexts('[{"id":"\\u0061"},{"id":1.0},{"id":1e400}]')).toEqual(['"a"', "1", "1e400"]);
});
