import fc from "fast-check";
import { expect, it } from "vitest";
import { character } from "../../../src/server/properties/schema-values.ts";

it("is any code point, and never a lone surrogate", () => {
  const points = fc.sample(character, { seed: 1, numRuns: 20_000 }).map((text) => text.codePointAt(0) ?? -1);
  expect(points.filter((point) => point >= 0xd800 && point < 0xe000)).toEqual([]);
  expect(Math.max(...points)).toBe(0x10ffff);
  expect(Math.min(...points)).toBe(0);
  expect(points.some((point) => point > 0x80 && point < 0xd800)).toBe(true);
  expect(points.some((point) => point >= 0xe000 && point < 0x10000)).toBe(true);
});
