import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createContract } from "../../../src/server/document.ts";
import { character, paramsOf } from "../../../src/server/properties/schema-values.ts";

it("is any code point, and never a lone surrogate", () => {
  const points = fc.sample(character, { seed: 1, numRuns: 20_000 }).map((text) => text.codePointAt(0) ?? -1);
  expect(points.filter((point) => point >= 0xd800 && point < 0xe000)).toEqual([]);
  expect(Math.max(...points)).toBe(0x10ffff);
  expect(Math.min(...points)).toBe(0);
  expect(points.some((point) => point > 0x80 && point < 0xd800)).toBe(true);
  expect(points.some((point) => point >= 0xe000 && point < 0x10000)).toBe(true);
});

describe("generated params", () => {
  const samples = (schema: object, known = {}) => {
    const { methods, ...rest } = createContract({ methods: [{ name: "a", params: [{ schema }] }] });
    const method = methods.get("a");
    if (method === undefined) throw new Error("the document has a method");
    return fc.sample(paramsOf(method, { methods, ...rest }, known), { seed: 1, numRuns: 400 });
  };
  const kinds = (values: readonly unknown[]) => [...new Set(values)];

  it.each<[object, (values: readonly unknown[]) => unknown, unknown]>([
    [{ const: 7, type: "string" }, kinds, [7]],
    [{ enum: ["a", "b"] }, (all) => kinds(all).toSorted(), ["a", "b"]],
    [{ anyOf: [{ const: 1 }, { const: 2 }] }, (all) => kinds(all).toSorted(), [1, 2]],
    [{ type: ["null", "boolean"] }, (all) => kinds(all).length, 3],
    [{ type: "integer", minimum: 2, maximum: 4 }, (all) => kinds(all).toSorted(), [2, 3, 4]],
    [
      { type: "string", maxLength: 2 },
      (all) => kinds(all.map((one) => Array.from(one as string).length)).toSorted(),
      [0, 1, 2],
    ],
    [{ type: "string", minLength: 30 }, (all) => kinds(all.map((one) => Array.from(one as string).length)), [30]],
    [
      { type: "string", examples: ["example of a text", 7] },
      (all) => all.includes("example of a text") && !all.includes(7),
      true,
    ],
    [
      { type: "string", format: "date-time" },
      (all) => all.every((one) => /^20\d\d-.*T.*Z$|^2100-01-01/.test(one as string)),
      true,
    ],
    [
      { type: "array", items: { const: 1 } },
      (all) => kinds(all.map((one) => (one as []).length)).toSorted(),
      [0, 1, 2, 3],
    ],
    [{ type: "number" }, (all) => all.every(Number.isFinite) && all.some((one) => !Number.isInteger(one)), true],
  ])("of %j have its values", (schema, found, expected) => {
    expect(found(samples(schema))).toEqual(expected);
  });

  it("have the required members, any others, and known values often", () => {
    const properties = { a: { const: 1 }, b: { const: 2 }, c: { type: "null" } };
    const all = samples({ type: "object", required: ["a"], properties }, { c: "known" }) as Record<string, unknown>[];
    expect(all.every(({ a }) => a === 1)).toBe(true);
    expect(kinds(all.map((one) => Object.keys(one).toSorted().join(""))).toSorted()).toEqual(["a", "ab", "abc", "ac"]);
    const given = all.filter((one) => "c" in one);
    expect(given.filter(({ c }) => c === "known").length).toBeGreaterThan(given.length / 2);
    expect(given.some(({ c }) => c === null)).toBe(true);
  });

  it("have other members if the schema allows them", () => {
    const rest = { type: "object", properties: { a: { const: 1 } }, required: ["a"] };
    const names = (schema: object) => new Set((samples(schema) as object[]).map((one) => Object.keys(one).length));
    expect([...names({ ...rest, additionalProperties: { const: 2 } })].toSorted()).toEqual([1, 2, 3, 4]);
    expect([...names({ ...rest, additionalProperties: false })]).toEqual([1]);
  });
});
