import { describe, expect, it } from "vitest";
import { defaultRunLimits, isAtRunLimit, sqlIssues, tagIssues } from "../src/limits.ts";
import { clampMaxAgeMinutes, clampResultTTLHours } from "../src/retention.ts";

describe("limits", () => {
  it("count the SQL in bytes", () => {
    expect(sqlIssues("é".repeat(131_072), defaultRunLimits)).toEqual([]);
    expect(sqlIssues(`${"é".repeat(131_072)}x`, defaultRunLimits)).toEqual([
      { pointer: "/sql", expected: "at most 262144 bytes of UTF-8", received: "262145 bytes" },
    ]);
    expect(sqlIssues(" \n", defaultRunLimits)).toHaveLength(1);
    expect(sqlIssues("select '\0'", defaultRunLimits)).toHaveLength(1);
  });

  it("name the tag at fault by a JSON pointer", () => {
    expect(tagIssues({ ok: "x".repeat(256), none: null }, defaultRunLimits)).toEqual([]);
    expect(tagIssues({ "a/b": "x".repeat(257) }, defaultRunLimits)).toMatchObject([{ pointer: "/tags/a~1b" }]);
    expect(tagIssues({ ["k".repeat(65)]: "" }, defaultRunLimits)).toHaveLength(1);
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, "v"]));
    expect(tagIssues(many, defaultRunLimits)).toMatchObject([{ pointer: "/tags", received: "33 tags" }]);
  });

  it("cap unfinished runs only where a cap is set", () => {
    expect(isAtRunLimit(1e9, defaultRunLimits)).toBe(false);
    expect(isAtRunLimit(14, { ...defaultRunLimits, maxUnfinishedRuns: 15 })).toBe(false);
    expect(isAtRunLimit(15, { ...defaultRunLimits, maxUnfinishedRuns: 15 })).toBe(true);
  });

  it("clamp retention and age instead of failing", () => {
    expect([0, 1, 720, 721].map(clampResultTTLHours)).toEqual([1, 1, 720, 720]);
    expect([0, 10_080, 10_081].map(clampMaxAgeMinutes)).toEqual([0, 10_080, 10_080]);
  });
});
