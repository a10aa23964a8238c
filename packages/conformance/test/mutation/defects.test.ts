import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mockDefects, packages } from "./defects.ts";
import { serviceDefects } from "./service-defects.ts";

describe.each([
  { end: "mock", defects: mockDefects, least: 40 },
  { end: "service", defects: serviceDefects, least: 20 },
])("the defects of a $end", ({ defects, least }) => {
  it("are enough, each with a name of its own", () => {
    expect(defects.length).toBeGreaterThanOrEqual(least);
    expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length);
  });

  it("replace texts that exist in their files", () => {
    const stale = defects.filter(({ file, from }) => !readFileSync(new URL(file, packages), "utf8").includes(from));
    expect(stale.map(({ name }) => name)).toEqual([]);
  });
});
