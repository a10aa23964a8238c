import { expect, it } from "vitest";
import { boundValues, type NumberedStatement, numbered } from "../../src/source/parameters.ts";
import { admit } from "./admit-at-once.ts";

const of = (sql: string, given: Parameters<typeof numbered>[1] = null): NumberedStatement =>
  numbered(admit(sql), given);

it.each([
  ["select 1", null, "select 1", []],
  ["select 1; -- end", null, "select 1", []],
  ["select $01", null, "select $01", ["1"]],
  ["select $2, $1, $2 -- end", null, "select $2, $1, $2", ["1", "2"]],
  ["select $3", null, "select $3", ["1", "2", "3"]],
  ["select $b, $a, $b", null, "select $1, $2, $1", ["b", "a"]],
  ["select $b, $7", null, "select $1, $2", ["b", "7"]],
  ["select ?, ?", [1, 2], "select  $1 ,  $2 ", ["1", "2"]],
  ["select a?b, $? ' $$ x '", [1, 2], "select a $1 b, $ $2  ' $$ x '", ["1", "2"]],
  ["select a ? 'b'", null, "select a ? 'b'", []],
  ["select a ? 'b'", [], "select a ? 'b'", []],
  ["select a ? 'b'", { x: 1 }, "select a ? 'b'", []],
  ["select a ? $1", [1], "select a ? $1", ["1"]],
  ["select '?', \"?\", ?", [1], "select '?', \"?\",  $1 ", ["1"]],
])("numbers the parameters of %j with %j", (sql, given, text, names) => {
  expect(of(sql, given)).toMatchObject({ text, names });
});

it("finds the offset in the statement of the caller", () => {
  const { text, origin } = of("select $long + $y;");
  expect(text).toBe("select $1 + $2");
  const expected = [0, 1, 2, 3, 4, 5, 6, 7, 7, 12, 13, 14, 15, 15, 17];
  expect(expected.map((_, offset) => origin(offset))).toEqual(expected);
  expect([3, 90].map(of("select $2").origin)).toEqual([3, 90]);
});

it("refuses more parameters than PostgreSQL can count", () => {
  const many = "?,".repeat(65_536);
  for (const [sql, given, what] of [
    ["select $90000000", null, "the parameter $90000000"],
    ["select $65536", null, "the parameter $65536"],
    [`select ${many}1`, [1], "65536 parameters"],
    [`select ${many.replaceAll("?", "$a")}1`, null, "65536 parameters"],
  ] as const)
    expect(() => of(sql, given && [...given])).toThrow(
      `Invalid parameters: the statement has ${what}, and PostgreSQL can count 65535; use fewer.`,
    );
  expect(of("select $65535").names).toHaveLength(65_535);
});

it.each([
  ["integer", 5, "5"],
  [null, "it's ''", "it's ''"],
  ["date", null, null],
  ["json", [1], "[1]"],
  ["jsonb", { a: "'" }, `{"a":"'"}`],
  ["boolean", false, "false"],
])("binds a value of the type %s: %j", (type, value, text) => {
  expect(boundValues([{ name: "a", type }], { a: value as string })).toEqual([text]);
});

it("takes values by position for the parameters 1, 2, …", () => {
  const described = ["1", "2"].map((name) => ({ name, type: "text" }));
  expect(boundValues(described, ["x", "y"])).toEqual(["x", "y"]);
  expect(boundValues([], null)).toEqual([]);
});

it.each([
  [["a", "b"], null, "no value for $a, $b."],
  [["a"], { a: 1, b: 2, c: 3 }, "the statement has no parameter $b, $c."],
  [["1"], [], "no value for $1."],
  [[..."abcdefghijkl"], null, "no value for $a, $b, $c, $d, $e, $f, $g, $h, $i, $j, …."],
  [["a"], { a: "\0" }, "$a has a NUL character, which PostgreSQL cannot store."],
  [["a"], { a: [1] }, "$a is an array or object, but its type is text; pass a text, or cast it: $a::jsonb."],
])("refuses values for %j: %j", (names, given, reason) => {
  const described = names.map((name) => ({ name, type: "text" }));
  const refused = (): unknown => boundValues(described, given as Parameters<typeof boundValues>[1]);
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
  expect(() => boundValues([{ name: "a", type }], { a: {} as unknown as string })).toThrow("is an array or object");
});
