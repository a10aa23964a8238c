import { describe, expect, it } from "vitest";
import { filtersOf } from "../../src/flipside/loose-types.ts";
import { createOptions } from "../../src/flipside/query.ts";
import { openingRows } from "../../src/flipside/result-rows.ts";

const tags = { sdk_language: "javascript", sdk_package: "js", sdk_version: null };

describe("the options of the old client", () => {
  it("have the defaults of the old client", () => {
    expect(createOptions({ sql: "a" })).toEqual({ sql: "a", maxAgeMinutes: 0, resultTTLHours: 1, tags });
  });

  it("are passed on", () => {
    const source = { dataSource: "s", dataProvider: "p" };
    const options = createOptions({
      sql: "a",
      ...source,
      maxAgeMinutes: 5,
      ttlMinutes: 61,
      sdkPackage: "x",
      sdkVersion: "1",
    });
    expect(options).toEqual({
      sql: "a",
      ...source,
      maxAgeMinutes: 5,
      resultTTLHours: 2,
      tags: { ...tags, sdk_package: "x", sdk_version: "1" },
    });
  });

  it.each([
    [{ ttlMinutes: 60 }, 1],
    [{ ttlMinutes: 121 }, 3],
    [{ ttlMinutes: 1 }, 1],
    [{ ttlMinutes: 60, maxAgeMinutes: 121 }, 3],
    [{ ttlMinutes: 0, maxAgeMinutes: 30 }, 1],
    [{ cached: false, maxAgeMinutes: 500 }, 1],
  ])("%j keep the result for %i hours", (options, hours) => {
    expect(createOptions({ sql: "a", ...options }).resultTTLHours).toBe(hours);
  });

  it("reuse no result if they are not cached", () => {
    expect(createOptions({ sql: "a", cached: false, maxAgeMinutes: 5 }).maxAgeMinutes).toBe(0);
    expect(createOptions({ sql: "a", cached: true, maxAgeMinutes: 5 }).maxAgeMinutes).toBe(5);
  });
});

it.each([
  [{}, undefined],
  [{ pageSize: 7 }, 7],
  [{ pageNumber: 1 }, 100_000],
  [{ pageNumber: 0, pageSize: 7 }, 7],
  [{ pageNumber: 2, pageSize: 7 }, 1],
])("the page %j is opened with %j rows", (request, rows) => {
  expect(openingRows(request)).toBe(rows);
});

it("a pattern may be a number, and other filters stay", () => {
  expect(
    filtersOf([
      { column: "a", like: 5 },
      { column: "b", like: null, gt: 1 },
      { column: "c", eq: "x" },
    ]),
  ).toEqual([
    { column: "a", like: "5" },
    { column: "b", like: null, gt: 1 },
    { column: "c", eq: "x" },
  ]);
  expect(filtersOf(undefined)).toBeUndefined();
});
