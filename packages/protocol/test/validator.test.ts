import { describe, expect, test } from "vitest";
import { type SchemaTable, schemaKeywords, validator } from "../src/validator.ts";

/** `pointer: expected, received` of each issue. */
function issues(table: SchemaTable, value: unknown): readonly string[] {
  const answer = validator(table)["~standard"].validate(value);
  return (answer.issues ?? []).map(({ pointer, expected, received }) => `${pointer}: ${expected}, ${received}`);
}

interface Example {
  readonly table: SchemaTable;
  readonly accepts: readonly unknown[];
  /** Value -> its first issue. */
  readonly rejects: readonly (readonly [unknown, string])[];
}

const text: SchemaTable = { type: "string" };

const keywords: Record<(typeof schemaKeywords)[number], readonly Example[]> = {
  type: [
    {
      table: { type: "string" },
      accepts: ["", "x"],
      rejects: [
        [1, ": a string, 1"],
        [null, ": a string, null"],
      ],
    },
    {
      table: { type: "number" },
      accepts: [0, -1.5, 1e300],
      rejects: [
        ["1", ': a number, "1"'],
        [Number.POSITIVE_INFINITY, ": a number, a number beyond the range of doubles"],
      ],
    },
    {
      table: { type: "integer" },
      accepts: [1, 1.0, -0, 2 ** 60],
      rejects: [
        [1.5, ": an integer, 1.5"],
        [Number.NaN, ": an integer, a number beyond the range of doubles"],
      ],
    },
    { table: { type: "boolean" }, accepts: [true, false], rejects: [[0, ": true or false, 0"]] },
    {
      table: { type: "object" },
      accepts: [{}, { a: 1 }],
      rejects: [
        [[], ": an object, an empty array"],
        [null, ": an object, null"],
      ],
    },
    { table: { type: "array" }, accepts: [[], [1]], rejects: [[{ length: 0 }, ": an array, an object"]] },
    {
      table: { type: "null" },
      accepts: [null],
      rejects: [
        [undefined, ": null, nothing"],
        [0, ": null, 0"],
      ],
    },
    { table: { type: ["string", "null"] }, accepts: ["x", null], rejects: [[1, ": a string or null, 1"]] },
  ],
  enum: [
    { table: { enum: ["csv", "json"] }, accepts: ["csv", "json"], rejects: [["CSV", ': "csv" or "json", "CSV"']] },
    {
      table: { enum: [1, [{ a: 1, b: 2 }]] },
      accepts: [1.0, [{ b: 2, a: 1 }]],
      rejects: [[[{ a: 1 }], ': 1 or [{"a":1,"b":2}], an array of 1']],
    },
  ],
  const: [{ table: { const: "2.0" }, accepts: ["2.0"], rejects: [[2, ': "2.0", 2']] }],
  properties: [
    {
      table: { properties: { a: text } },
      accepts: [{ a: "x" }, { b: 1 }, {}, "no object", { a: undefined }],
      rejects: [[{ a: 1 }, "/a: a string, 1"]],
    },
    { table: { properties: { "a/b~c": text } }, accepts: [], rejects: [[{ "a/b~c": 1 }, "/a~1b~0c: a string, 1"]] },
  ],
  required: [
    {
      table: { properties: { a: text }, required: ["a", "constructor"] },
      accepts: [JSON.parse('{"a":"x","constructor":1}')],
      rejects: [
        [{ constructor: 1 }, "/a: a string, nothing"],
        [{ a: "x" }, "/constructor: a value, nothing"],
        [{ a: undefined, constructor: 1 }, "/a: a string, nothing"],
      ],
    },
  ],
  additionalProperties: [
    {
      table: { properties: { a: {} }, additionalProperties: false },
      accepts: [{ a: 1 }, { b: undefined }],
      rejects: [
        [{ b: 1 }, "/b: no such member, 1"],
        [JSON.parse('{"__proto__":1}'), "/__proto__: no such member, 1"],
        [{ toString: 1 }, "/toString: no such member, 1"],
      ],
    },
    {
      table: { additionalProperties: text },
      accepts: [{ a: "x" }],
      rejects: [[JSON.parse('{"__proto__":1}'), "/__proto__: a string, 1"]],
    },
    { table: { additionalProperties: true }, accepts: [{ a: 1 }], rejects: [] },
  ],
  propertyNames: [
    {
      table: { propertyNames: { maxLength: 2 } },
      accepts: [{ ab: 1 }],
      rejects: [[{ abc: 1 }, '/abc: at most 2 characters, "abc"']],
    },
  ],
  minProperties: [
    { table: { minProperties: 1 }, accepts: [{ a: 1 }], rejects: [[{}, ": at least 1 members, an object"]] },
  ],
  maxProperties: [
    { table: { maxProperties: 1 }, accepts: [{ a: 1 }], rejects: [[{ a: 1, b: 1 }, ": at most 1 members, an object"]] },
  ],
  items: [{ table: { items: text }, accepts: [[], ["x"]], rejects: [[["x", 1], "/1: a string, 1"]] }],
  minItems: [{ table: { minItems: 1 }, accepts: [[1]], rejects: [[[], ": at least 1 items, an empty array"]] }],
  maxItems: [{ table: { maxItems: 1 }, accepts: [[1]], rejects: [[[1, 2], ": at most 1 items, an array of 2"]] }],
  minLength: [{ table: { minLength: 2 }, accepts: ["ab", "😀😀"], rejects: [["😀", ': at least 2 characters, "😀"']] }],
  maxLength: [
    { table: { maxLength: 2 }, accepts: ["ab", "😀😀"], rejects: [["abc", ': at most 2 characters, "abc"']] },
  ],
  pattern: [
    { table: { pattern: "^\\d+$" }, accepts: ["12", 12], rejects: [["1a", ': a text that matches ^\\d+$, "1a"']] },
    { table: { pattern: "^\\d+$", patternText: "digits" }, accepts: ["12"], rejects: [["1a", ': digits, "1a"']] },
  ],
  format: [
    {
      table: { format: "date-time" },
      accepts: ["2024-02-29T00:00:00.000Z", "2023-01-31T23:59:59+05:30"],
      rejects: [
        "2023-02-29T00:00:00Z",
        "2023-04-31T00:00:00Z",
        "2023-01-01T24:00:00Z",
        "2023-01-01T00:00:00",
        "2023-13-01T00:00:00Z",
        "yesterday",
      ].map((value) => [value, `: a date and time like 2026-01-31T23:59:59.000Z, "${value}"`] as const),
    },
    { table: { format: "email" }, accepts: ["no address"], rejects: [] },
  ],
  minimum: [{ table: { minimum: 0 }, accepts: [0, "x"], rejects: [[-1, ": at least 0, -1"]] }],
  maximum: [{ table: { maximum: 50 }, accepts: [50], rejects: [[50.5, ": at most 50, 50.5"]] }],
  anyOf: [
    { table: { anyOf: [{ enum: ["A"] }, text] }, accepts: ["A", "B"], rejects: [[1, ': "A" or a string, 1']] },
    {
      table: {
        anyOf: [{ type: "null" }, { type: "object", properties: { n: { type: "object", properties: { m: text } } } }],
      },
      accepts: [null, { n: {} }],
      rejects: [
        [{ n: { m: 1 } }, "/n/m: a string, 1"],
        [1, ": null or an object, 1"],
      ],
    },
  ],
};

describe.each(Object.entries(keywords))("%s", (_, examples) => {
  test.each(examples)("$table", ({ table, accepts, rejects }) => {
    for (const value of accepts) expect(issues(table, value)).toEqual([]);
    for (const [value, issue] of rejects) expect(issues(table, value)[0]).toBe(issue);
  });
});

test("every keyword is tested", () => {
  expect(Object.keys(keywords).sort()).toEqual([...schemaKeywords].sort());
});

test("a schema may be recursive", () => {
  const tree: SchemaTable = {
    properties: { children: { type: "array", items: { ref: () => tree } } },
    additionalProperties: false,
  };
  expect(issues(tree, { children: [{ children: [] }, {}] })).toEqual([]);
  expect(issues(tree, { children: [{ children: [{ kids: [] }] }] })).toEqual([
    "/children/0/children/0/kids: no such member, an empty array",
  ]);
});

test("a value that is too deep for the stack is refused, not a crash", () => {
  const list: SchemaTable = { type: "array", items: { ref: () => list } };
  expect(issues(list, JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`))[0]).toContain("at most 500 levels");
});

test("there are at most 20 issues, and long values are shortened", () => {
  expect(issues({ items: text }, new Array(1000).fill(1))).toHaveLength(20);
  expect(issues({ required: [...Array(30).keys()].map(String) }, {})).toHaveLength(20);
  expect(issues({ maxLength: 1 }, "x".repeat(1000))[0]?.length).toBeLessThan(120);
});

test("a valid value is returned as it is, and an issue has path and message", () => {
  const value = JSON.parse('{"__proto__":{"polluted":true}}');
  expect(validator({})["~standard"].validate(value)).toEqual({ value });
  expect(validator({ properties: { a: text } })["~standard"].validate({ a: 1 })).toMatchObject({
    issues: [{ path: ["a"], message: "expected a string, received 1" }],
  });
});
