import { expect, it } from "vitest";
import { cellText, printable } from "../../src/output/row.ts";

it.each([
  ["a\nb\rc\td", "a\\nb\\rc\\td"],
  ["\u0000\u001b[2J\u007f\u0085", "\\u0000\\u001b[2J\\u007f\\u0085"],
  ["\u202e\u2066\u200f", "\\u202e\\u2066\\u200f"],
  ["é 日本 🚗\\n", "é 日本 🚗\\n"],
])("%j is printed as %s", (text, printed) => {
  expect(printable(text)).toBe(printed);
});

it.each([
  ["text", "text"],
  [1.5, "1.5"],
  [true, "true"],
  [["a", 1], '["a",1]'],
])("the cell %j is the text %s", (value, text) => {
  expect(cellText(value)).toBe(text);
});
