import { describe, expect, it } from "vitest";
import { type SchemaTable, validator } from "../src/validator.ts";

/** `pointer: expected, received` of each issue. */
function issues(table: SchemaTable, value: unknown): readonly string[] {
  const answer = validator(table)["~standard"].validate(value);
  return (answer.issues ?? []).map(({ pointer, expected, received }) => `${pointer}: ${expected}, ${received}`);
}
const text: SchemaTable = { type: "string" };

describe("any of several schemas", () => {
  const branch = (name: string): SchemaTable => ({
    type: "object",
    properties: { [name]: { properties: { x: text } } },
  });

  it("has the issues of the first branch that fails deepest", () => {
    expect(issues({ anyOf: [text, branch("a"), branch("b")] }, { a: { x: 1 }, b: { x: 2 } })).toEqual([
      "/a/x: a string, 1",
    ]);
    const shallow: SchemaTable = { properties: { a: { type: "null" } } };
    expect(issues({ anyOf: [shallow, branch("a")] }, { a: { x: 1 } })).toEqual(["/a/x: a string, 1"]);
    expect(issues({ anyOf: [branch("a"), shallow] }, { a: { x: 1 } })).toEqual(["/a/x: a string, 1"]);
  });

  it("has the issues of the branch with the fewest, of those that fail equally deep", () => {
    const one: SchemaTable = { properties: { a: text, b: text }, required: ["a"], additionalProperties: false };
    const many: SchemaTable = { properties: { c: { minItems: 1 } }, required: ["c"], additionalProperties: false };
    for (const anyOf of [
      [one, many],
      [many, one],
    ]) {
      expect(issues({ anyOf }, { c: [] })).toEqual(["/c: at least 1 items, an empty array"]);
      expect(issues({ anyOf }, { a: "x", b: 1 })).toEqual(["/b: a string, 1"]);
    }
    expect(issues({ anyOf: [one, many] }, {})).toEqual(["/a: a string, nothing"]);
  });

  it("keeps the limit of 20 issues", () => {
    const lists: SchemaTable = { items: { anyOf: [{ type: "array", items: text }] } };
    const found = issues(
      lists,
      Array.from({ length: 3 }, () => Array.from({ length: 9 }, () => 1)),
    );
    expect(found.length).toBe(20);
    expect(found.at(-1)).toBe("/2/1: a string, 1");
  });

  it("is described at the value itself", () => {
    expect(issues({ items: { anyOf: [text, { type: "null" }] } }, [1])).toEqual(["/0: a string or null, 1"]);
    expect(issues({ items: { anyOf: [{ ref: () => text }] } }, [1])).toEqual(["/0: a string, 1"]);
  });
});
