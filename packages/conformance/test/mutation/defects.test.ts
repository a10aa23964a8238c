import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mockDefects, packages } from "./defects.ts";
import { finders } from "./finders.ts";
import { serviceDefects } from "./service-defects.ts";

describe.each([
  { end: "mock", defects: mockDefects, least: 40 },
  { end: "service", defects: serviceDefects, least: 20 },
] as const)("the defects of a $end", ({ end, defects, least }) => {
  it("are enough, each with a name of its own", () => {
    expect(defects.length).toBeGreaterThanOrEqual(least);
    expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length);
  });

  it("have a recorded check each", () => {
    expect(Object.keys(finders[end])).toEqual(defects.map(({ name }) => name));
  });

  it("replace texts that exist in their files", () => {
    const stale = defects.filter(({ file, from }) => !readFileSync(new URL(file, packages), "utf8").includes(from));
    expect(stale.map(({ name }) => name)).toEqual([]);
  });
});
