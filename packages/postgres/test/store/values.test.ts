import { expect, it } from "vitest";
import { toStored, valueTypes } from "../../src/store/values.ts";

const parse = valueTypes.getTypeParser(25, "text");

it.each(["", "plain", "a\u0000b", "\u0001", "\u0001\u0002", "\u0000\u0001\u0000", "é\u0001"])(
  "stores %j without NUL and reads it unchanged",
  (text) => {
    const stored = toStored(text);
    expect(stored).not.toContain("\u0000");
    expect(parse(String(stored))).toBe(text);
  },
);

it("leaves other values and JSON texts as they are, and converts the texts of a list", () => {
  const json = JSON.stringify({ text: "\u0000\u0001" });
  expect(toStored(json)).toBe(json);
  expect(toStored([["\u0000"], 1, null])).toEqual([["\u0001\u0002"], 1, null]);
});
