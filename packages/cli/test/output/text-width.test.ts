import { expect, it } from "vitest";
import { textWidth } from "../../src/output/text-width.ts";

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
