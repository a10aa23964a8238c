import { expect, it } from "vitest";
import { jsonRows } from "../../src/files/json.ts";

it.each([
  ['[{"a":1},{"b":null}]', [{ a: 1 }, { b: null }]],
  ["[]", []],
  [
    '{"columns":["a",{"name":"b","type":"date"}],"rows":[[1],[]],"more":1}',
    { columns: ["a", { name: "b", type: "date" }], rows: [[1], []] },
  ],
])("%s are rows", (text, rows) => {
  expect(jsonRows(text, "f.json")).toEqual(rows);
});

it.each([
  "null",
  "5",
  "[1]",
  "[null]",
  "[[]]",
  '[{},"a"]',
  "{}",
  '{"columns":["a"]}',
  '{"rows":[]}',
  '{"columns":{},"rows":[]}',
  '{"columns":[1],"rows":[]}',
  '{"columns":[{"type":"date"}],"rows":[]}',
  '{"columns":[null],"rows":[]}',
  '{"columns":["a",["b"]],"rows":[]}',
  '{"columns":["a"],"rows":{}}',
  '{"columns":["a"],"rows":[[1],{}]}',
])("%s are no rows", (text) => {
  const message = 'f.json: expected an array of objects, or { "columns": [...], "rows": [[...], ...] }';
  expect(() => jsonRows(text, "f.json")).toThrow(new SyntaxError(message));
});

it("a text that is not JSON is refused with its file", () => {
  expect(() => jsonRows("{", "f.json")).toThrow(/^f\.json: .*JSON/);
});
