import { describe, expect, it, test } from "vitest";
import { describeSchema, orList } from "../src/describe-schema.ts";
import { areEqual, isDateTime } from "../src/json-value.ts";
import { nearestWord } from "../src/nearest-word.ts";
import { type SchemaTable, validator } from "../src/validator.ts";

/** `pointer: expected, received` of each issue. */
function issues(table: SchemaTable, value: unknown): readonly string[] {
  const answer = validator(table)["~standard"].validate(value);
  return (answer.issues ?? []).map(({ pointer, expected, received }) => `${pointer}: ${expected}, ${received}`);
}
const text: SchemaTable = { type: "string" };

describe("a date and time", () => {
  it.each([
    "0000-01-01T00:00:00Z",
    "2026-12-31T23:59:59Z",
    "2026-10-20t19:09:09.123456z",
    "2026-01-29T00:00:00+23:59",
    "2026-01-30T00:00:00-00:00",
    "2026-03-31T00:00:00Z",
    "2026-04-30T00:00:00Z",
    "2026-06-30T00:00:00Z",
    "2026-09-30T00:00:00Z",
    "2026-11-30T00:00:00Z",
    "2026-02-28T00:00:00Z",
    "2000-02-29T00:00:00Z",
    "2024-02-29T00:00:00Z",
  ])("may be %s", (value) => {
    expect(isDateTime(value)).toBe(true);
  });

  it.each([
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-32T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2024-02-30T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-06-31T00:00:00Z",
    "2026-09-31T00:00:00Z",
    "2026-11-31T00:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:60Z",
    "2026-01-01T00:00Z",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00+00:60",
    "2026-01-01T00:00:00+0000",
    "2026-01-01 00:00:00Z",
    " 2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z ",
    "12026-01-01T00:00:00Z",
  ])("is not %j", (value) => {
    expect(isDateTime(value)).toBe(false);
  });
});

test.each<[unknown, unknown, boolean]>([
  [1, 1, true],
  [1, "1", false],
  [null, null, true],
  [null, {}, false],
  [{}, null, false],
  [[], {}, false],
  [{}, [], false],
  [[1, 2], [1, 2], true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[1, 2], [1], false],
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{ toString: undefined }, { a: 1 }, false],
])("%j and %j are equal: %j", (left, right, equal) => {
  expect(areEqual(left, right)).toBe(equal);
});

test("words are joined once each", () => {
  expect([orList([]), orList(["a"]), orList(["a", "b", "a"]), orList(["a", "b", "c"])]).toEqual([
    "nothing",
    "a",
    "a or b",
    "a, b or c",
  ]);
});

test.each<[SchemaTable, string]>([
  [{ const: false, enum: [1], type: "string" }, "false"],
  [{ enum: [1, "a"], type: "string" }, '1 or "a"'],
  [{ type: ["integer", "array"], anyOf: [text] }, "an integer or an array"],
  [{ anyOf: [text, { ref: () => ({ type: "null" }) }] }, "a string or null"],
  [{ minLength: 1 }, "a value"],
])("the schema %j is described as %s", (table, words) => {
  expect(describeSchema(table)).toBe(words);
});

describe("the length of a text counts code points", () => {
  it.each<[SchemaTable, string, readonly string[]]>([
    [{ minLength: 3 }, "😀a", [': at least 3 characters, "😀a"']],
    [{ minLength: 3 }, "😀😀", [': at least 3 characters, "😀😀"']],
    [{ minLength: 3 }, "😀😀a", []],
    [{ minLength: 3 }, "abc", []],
    [{ minLength: 3 }, "abcde", []],
    [{ minLength: 2, maxLength: 3 }, "😀😀😀", []],
    [{ minLength: 2, maxLength: 3 }, "abcd", [': at most 3 characters, "abcd"']],
    [{ minLength: 2, maxLength: 3 }, "😀😀😀😀", [': at most 3 characters, "😀😀😀😀"']],
    [{ maxLength: 0 }, "a", [': at most 0 characters, "a"']],
    [{ maxLength: 0 }, "", []],
  ])("by %j for %s", (table, value, found) => {
    expect(issues(table, value)).toEqual(found);
  });
});

test("a text has each issue of its keywords", () => {
  expect(issues({ minLength: 3, pattern: "^\\p{Lu}", format: "date-time" }, "a")).toEqual([
    ': at least 3 characters, "a"',
    ': a text that matches ^\\p{Lu}, "a"',
    ': a date and time like 2026-01-31T23:59:59.000Z, "a"',
  ]);
});

test("a pattern knows the properties of characters, and may match anywhere", () => {
  expect(["Ä", "aÄ", "ä"].flatMap((value) => issues({ pattern: "\\p{Lu}" }, value))).toEqual([
    ': a text that matches \\p{Lu}, "ä"',
  ]);
});

test("bounds include their value", () => {
  const range = { minimum: 2, maximum: 2 };
  expect([1.9, 2, 2.1, "a"].flatMap((value) => issues(range, value))).toEqual([
    ": at least 2, 1.9",
    ": at most 2, 2.1",
  ]);
  expect(issues({ minItems: 2, maxItems: 2 }, [1, 2])).toEqual([]);
  const members = { minProperties: 2, maxProperties: 2 };
  expect(issues(members, { a: 1, b: 2 })).toEqual([]);
  expect(issues(members, { a: 1, b: undefined })).toEqual([": at least 2 members, an object"]);
  expect(issues(members, { a: 1, b: 2, c: undefined })).toEqual([]);
  expect(issues({ maxProperties: 0 }, {})).toEqual([]);
});

test("keywords of other types do not apply", () => {
  const all: SchemaTable = {
    minLength: 9,
    minimum: 9,
    minItems: 9,
    minProperties: 9,
    pattern: "x",
    format: "date-time",
  };
  expect([true, null].flatMap((value) => issues(all, value))).toEqual([]);
  expect(issues(all, [])).toEqual([": at least 9 items, an empty array"]);
  expect(issues(all, {})).toEqual([": at least 9 members, an object"]);
});

test("a value of 500 levels is accepted, and a deeper one is refused", () => {
  const list: SchemaTable = { type: "array", items: { ref: () => list } };
  const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
  expect(issues(list, nested(501))).toEqual([]);
  expect(issues(list, nested(502))).toEqual([`${"/0".repeat(501)}: at most 500 levels, an empty array`]);
});

test("the first 20 issues are reported, in the order of the value", () => {
  const wrong = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]));
  const first = Array.from({ length: 20 }, (_, at) => `/m${at}: a string, ${at}`);
  expect(issues({ additionalProperties: text }, wrong(20))).toEqual(first);
  expect(issues({ additionalProperties: text, maxProperties: 1 }, wrong(21))).toEqual(first);
  expect(issues({ additionalProperties: text, maxProperties: 1 }, wrong(19))).toEqual([
    ...first.slice(0, 19),
    ": at most 1 members, an object",
  ]);
  expect(
    issues(
      { items: text },
      Array.from({ length: 21 }, (_, at) => at),
    ),
  ).toEqual(first.map((issue) => issue.replace("/m", "/")));
});

test.each<[string, SchemaTable, unknown, readonly string[]]>([
  ["of a value of another type", { type: "string", enum: ["a"], minimum: 2 }, 1, [": a string, 1"]],
  [
    "of a name and its value",
    { propertyNames: { maxLength: 1 }, additionalProperties: false },
    { ab: 7 },
    ['/ab: at most 1 characters, "ab"', "/ab: no such member, 7"],
  ],
  [
    "of members that are missing, unknown and invalid",
    { properties: { a: text, b: text }, required: ["a"], additionalProperties: { type: "null" }, minProperties: 4 },
    { b: 1, c: 2 },
    ["/a: a string, nothing", "/b: a string, 1", "/c: null, 2", ": at least 4 members, an object"],
  ],
  [
    "of a list and its items",
    { items: text, minItems: 3 },
    [1, 2],
    [": at least 3 items, an array of 2", "/0: a string, 1", "/1: a string, 2"],
  ],
  ["of a value and a branch", { const: 1, anyOf: [text] }, 2, [": 1, 2", ": a string, 2"]],
])("the issues are those %s", (_, table, value, found) => {
  expect(issues(table, value)).toEqual(found);
});

test("at most 20 issues are reported, whichever keywords find them", () => {
  const members = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, value]));
  const required = Array.from({ length: 21 }, (_, at) => `r${at}`);
  const branches: SchemaTable = { anyOf: [text, { type: "object", properties: { x: text } }] };
  const counts: [SchemaTable, unknown][] = [
    [{ additionalProperties: text, maxProperties: 1 }, members(20, 1)],
    [{ required }, {}],
    [{ required: required.slice(0, 20), minProperties: 1 }, {}],
    [{ additionalProperties: branches, maxProperties: 1 }, members(20, { x: 1 })],
  ];
  expect(counts.map(([table, value]) => issues(table, value).length)).toEqual([20, 20, 20, 20]);
});

test("a referenced schema is resolved once for all values", () => {
  let resolved = 0;
  const list: SchemaTable = {
    type: "array",
    items: {
      ref: () => {
        resolved += 1;
        return list;
      },
    },
  };
  const find = validator(list)["~standard"].validate;
  expect([find([[[[]]]]), find([[[], []]])]).toEqual([{ value: [[[[]]]] }, { value: [[[], []]] }]);
  expect(resolved).toBe(1);
});

test("a required member that is inherited is missing", () => {
  const required = { properties: { toString: { ref: () => text } }, required: ["toString"] };
  expect(issues(required, {})).toEqual(["/toString: a string, nothing"]);
});

test("a validator is a Standard Schema", () => {
  const { version, vendor, validate } = validator(text)["~standard"];
  expect({ version, vendor, result: validate("a") }).toEqual({ version: 1, vendor: "quern", result: { value: "a" } });
});

test.each([
  ["abd", ["abc"], "abc"],
  ["abde", ["abcdef"], "abcdef"],
  ["xyc", ["abc"], undefined],
  ["xycd", ["abcd"], "abcd"],
  ["xyzd", ["abcd"], undefined],
  ["ba", ["ab"], "ab"],
  ["abdc", ["abcd"], "abcd"],
  ["a", ["b"], "b"],
  ["xab", ["ab"], "ab"],
  ["logger", ["logger of all calls", "logger of calls"], "logger of calls"],
  ["LOG", ["Logger of calls"], "Logger of calls"],
  ["abx", ["aby", "abx1", "abx"], "abx"],
  ["abc", ["bcd", "abd"], "abd"],
])("the word nearest to %j in %j is %j", (word, words, nearest) => {
  expect(nearestWord(word, words)).toBe(nearest);
});
