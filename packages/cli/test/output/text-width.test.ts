import { expect, it } from "vitest";
import { clipped, textWidth } from "../../src/output/text-width.ts";

it.each([
  ["", 0],
  ["cars", 4],
  ["é", 1],
  ["e\u0301", 1],
  ["日本", 4],
  ["한국", 4],
  ["ｆｕｌｌ", 8],
  ["🚗", 2],
  ["👨‍👩‍👧", 2],
  ["🇫🇷", 2],
  ["❤️", 2],
  ["a\u200bb", 2],
  ["العربية", 7],
])("%j takes %i columns", (text, width) => {
  expect(textWidth(text)).toBe(width);
});

it.each([
  ["cars", 4, "cars"],
  ["horsepower", 6, "horse…"],
  ["日本日本", 8, "日本日本"],
  ["日本日本", 7, "日本日…"],
  ["日本日本", 6, "日本…"],
  ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
  ["👨‍👩‍👧👨‍👩‍👧", 3, "👨‍👩‍👧…"],
])("%j in %i columns is %j", (text, columns, expected) => {
  expect(clipped(text, columns)).toBe(expected);
});

it.each([
  ["日本日本", 1, "…"],
  ["日本日本", 2, "…"],
  ["日本日本", 3, "日…"],
  ["éa", 2, "éa"],
  ["éab", 2, "é…"],
  ["ab", 1, "…"],
  ["a", 1, "a"],
])("%j in %i columns is cut to %j", (text, columns, expected) => {
  expect(clipped(text, columns)).toBe(expected);
});
