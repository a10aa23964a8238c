import fc from "fast-check";
import { expect, it } from "vitest";
import { odd, oddValues } from "../../../src/server/properties/odd-values.ts";

const original = { a: 1, b: { c: [2, 3] } };
const text = (value: unknown) => JSON.stringify(value);
const made = new Set(fc.sample(oddValues(fc.constant(original)), { numRuns: 5_000, seed: 1 }).map(text));

it.each([
  ["in place of the whole", odd],
  ["in place of a member", odd.map((value) => ({ a: value, b: original.b }))],
  ["in place of an element below", odd.map((value) => ({ a: 1, b: { c: [2, value] } }))],
  ["beside the members", odd.map((value) => ({ ...original, unknownMember: value }))],
  ["beside the members below", odd.map((value) => ({ a: 1, b: { ...original.b, unknownMember: value } }))],
  ["by one that is missing", [{ b: original.b }, { a: 1, b: {} }]],
])("a value is odd %s", (_, values) => {
  expect(values.filter((value) => !made.has(text(value)))).toEqual([]);
});

it("a value is odd in one place alone", () => {
  for (const value of [...made].map((each) => JSON.parse(each))) {
    if (typeof value !== "object" || value === null || !("a" in value && "b" in value)) continue;
    const same = [text(value.a) === text(original.a), text(value.b) === text(original.b), !("unknownMember" in value)];
    expect(same.filter(Boolean).length).toBe(2);
  }
});
