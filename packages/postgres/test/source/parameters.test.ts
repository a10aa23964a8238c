import { expect, it } from "vitest";
import { tokensOf } from "../../src/source/lexer.ts";
import { literals, type NumberedStatement, numbered } from "../../src/source/parameters.ts";

const of = (sql: string, given: Parameters<typeof numbered>[2] = null): NumberedStatement =>
  numbered(sql, tokensOf(sql), given);

it.each([
  ["select 1", null, "select 1", []],
  ["", null, "", []],
  ["select $2, $1, $2 -- end", null, "select $2, $1, $2", ["1", "2"]],
  ["select $3", null, "select $3", ["1", "2", "3"]],
  ["select $b, $a, $b", null, "select $1, $2, $1", ["b", "a"]],
  ["select $b, $7", null, "select $1, $2", ["b", "7"]],
  ["select ?, ?", [1, 2], "select $1, $2", ["1", "2"]],
  ["select a ? 'b'", null, "select a ? 'b'", []],
  ["select a ? 'b'", [], "select a ? 'b'", []],
  ["select a ? 'b'", { x: 1 }, "select a ? 'b'", []],
  ["select a ? $1", [1], "select a ? $1", ["1"]],
  ["select '?', \"?\", ?", [1], "select '?', \"?\", $1", ["1"]],
])("numbers the parameters of %j with %j", (sql, given, text, names) => {
  expect(of(sql, given)).toMatchObject({ text, names });
});

it("finds the offset in the statement of the caller", () => {
  const { replaced } = of("a $x + $y;");
  const { text, origin } = replaced(new Map([["x", "12345"]]));
  expect(text).toBe("a 12345 + $y;");
  const expected = [0, 1, 2, 2, 2, 2, 2, 4, 5, 6, 7, 7, 9];
  expect(expected.map((_, offset) => origin(offset))).toEqual(expected);
});

it.each([
  ["integer", 5, "CAST('5' AS integer)"],
  [null, "it's ''", "CAST('it''s ''''' AS text)"],
  ["date", null, "CAST(NULL AS date)"],
  ["json", [1], "CAST('[1]' AS json)"],
  ["jsonb", { a: "'" }, `CAST('{"a":"''"}' AS jsonb)`],
  ["boolean", false, "CAST('false' AS boolean)"],
])("writes a value of the type %s: %j", (type, value, literal) => {
  expect(literals([{ name: "a", type }], { a: value as string })).toEqual(new Map([["a", literal]]));
});

it("takes values by position for the parameters 1, 2, …", () => {
  const described = ["1", "2"].map((name) => ({ name, type: "text" }));
  expect([...literals(described, ["x", "y"]).values()]).toEqual(["CAST('x' AS text)", "CAST('y' AS text)"]);
  expect(literals([], null)).toEqual(new Map());
});

it.each([
  [["a", "b"], null, "no value for $a, $b."],
  [["a"], { a: 1, b: 2, c: 3 }, "the statement has no parameter $b, $c."],
  [["1"], [], "no value for $1."],
  [["a"], { a: "\0" }, "$a has a NUL character, which PostgreSQL cannot store."],
  [["a"], { a: [1] }, "$a is an array or object, but its type is text; pass a text, or cast it: $a::jsonb."],
])("refuses values for %j: %j", (names, given, reason) => {
  const described = names.map((name) => ({ name, type: "text" }));
  const refused = (): unknown => literals(described, given as Parameters<typeof literals>[1]);
  expect(refused).toThrow(
    expect.objectContaining({
      failure: {
        name: "ParameterError",
        message: `Invalid parameters: ${reason}`,
        data: { category: "USER", engine: "postgres", retryable: false },
      },
    }),
  );
});

it.each(["xjson", "jsonbx", "json[]"])("takes no object for the type %s", (type) => {
  expect(() => literals([{ name: "a", type }], { a: {} as unknown as string })).toThrow("is an array or object");
});
