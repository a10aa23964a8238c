import { BIGINT, BOOLEAN, DOUBLE, LIST, listValue, SQLNULL, VARCHAR } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { engineList, engineValue } from "../../src/engine/engine-value.ts";
import { quotedName, quotedText } from "../../src/engine/quoting.ts";

it.each([
  ["a", "a", VARCHAR],
  [true, true, BOOLEAN],
  [2 ** 53 - 1, 9_007_199_254_740_991n, BIGINT],
  [2 ** 53, 2 ** 53, DOUBLE],
  [1.5, 1.5, DOUBLE],
  [null, null, SQLNULL],
  [{ a: 1 }, null, SQLNULL],
])("binds %j as %s of the type %s", (json, value, type) => {
  expect(engineValue(json)).toEqual({ value, type });
});

it.each([
  [[1, 2], [1n, 2n], BIGINT],
  [[1, 1.5], [1, 1.5], DOUBLE],
  [["1", "b"], ["1", "b"], VARCHAR],
  [[true, false], [true, false], BOOLEAN],
  [[], [], BIGINT],
])("binds the list %j as %s of the type %s", (list, items, type) => {
  expect(engineList(list)).toEqual({ value: listValue(items), type: LIST(type) });
});

it("quotes names and texts, and doubles each quote in them", () => {
  expect(quotedName('a"b"c', "d.e", "it's")).toBe('"a""b""c"."d.e"."it\'s"');
  expect(quotedText(`it's 'a' "b"`)).toBe(`'it''s ''a'' "b"'`);
});
