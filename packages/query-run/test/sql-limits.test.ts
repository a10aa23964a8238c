import { describe, expect, it } from "vitest";
import { clampMaxAgeMinutes, clampResultTTLHours } from "../src/retention.ts";
import { sqlIssues } from "../src/sql-limits.ts";

describe("limits", () => {
  it("count the SQL in bytes", () => {
    expect(sqlIssues("é".repeat(131_072))).toEqual([]);
    expect(sqlIssues(`${"é".repeat(131_072)}x`)).toEqual([
      { pointer: "/sql", expected: "at most 262144 bytes of UTF-8", received: "262145 bytes" },
    ]);
    expect(sqlIssues(" \n")).toEqual([{ pointer: "/sql", expected: "a SQL statement", received: "only white space" }]);
    expect(sqlIssues("select '\0'")).toEqual([
      { pointer: "/sql", expected: "text without NUL", received: "a NUL character" },
    ]);
  });

  it("clamp retention and age instead of failing", () => {
    expect([0, 1, 720, 721].map(clampResultTTLHours)).toEqual([1, 1, 720, 720]);
    expect([0, 10_080, 10_081].map(clampMaxAgeMinutes)).toEqual([0, 10_080, 10_080]);
  });
});
