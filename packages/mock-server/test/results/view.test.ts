import type { ViewMembers } from "@quern/query-run/view";
import { describe, expect, it } from "vitest";
import { type Rows, resultSet } from "../../src/results/result-set.ts";
import { viewRows } from "../../src/results/view.ts";

/** Values of the first column of the rows of a view. */
function view(values: readonly unknown[], members: ViewMembers, type?: string): unknown[] {
  const columns = [type === undefined ? "a" : { name: "a", type }, "at"];
  return viewRows(resultSet({ columns, rows: values.map((value, at) => [value, at]) } as Rows), members).map(
    ([a]) => a,
  );
}
const filter = (condition: object) => ({ filters: [{ column: "a", ...condition }] }) as ViewMembers;
const sorted = (direction: "asc" | "desc") => ({ sortBy: [{ column: "a", direction }] }) as ViewMembers;

describe("a filter", () => {
  const numbers = [1, 2, 3, null];

  it.each([
    [{ eq: 2 }, [2]],
    [{ neq: 2 }, [1, 3]],
    [{ gt: 2 }, [3]],
    [{ gte: 2 }, [2, 3]],
    [{ lt: 2 }, [1]],
    [{ lte: 2 }, [1, 2]],
    [{ in: [1, 3] }, [1, 3]],
    [{ in: [1, null] }, [1, null]],
    [{ in: [null] }, [null]],
    [{ notIn: [1, 3] }, [2, null]],
    [{ notIn: [1, null] }, [2, 3]],
    [{ eq: null }, [null]],
    [{ neq: null }, [1, 2, 3]],
    [{ like: "_" }, [1, 2, 3]],
    [{ like: "3%" }, [3]],
    [{ gt: 1, lt: 3 }, [2]],
  ])("%j of numbers", (condition, values) => {
    expect(view(numbers, filter(condition))).toEqual(values);
  });

  it.each([
    [["2", "10", "9"], { gt: "10" }, undefined, ["2", "9"]],
    [["2", "10", "9"], { gt: "9" }, "number", ["10"]],
    [
      ["12345678901234567890", "12345678901234567891"],
      { eq: "12345678901234567891" },
      "number",
      ["12345678901234567891"],
    ],
    [["+5", "-5", "5.0"], { eq: 5 }, "number", ["+5", "5.0"]],
    [["+12345678901234567890"], { lt: "12345678901234567891" }, "number", ["+12345678901234567890"]],
    [["NaN", "1"], { eq: "NaN" }, "number", ["NaN"]],
    [[true, false], { eq: true }, undefined, [true]],
    [[true, false], { gt: 0 }, undefined, [true]],
    [[{ b: 1 }, { b: 2 }], { like: "%2}" }, undefined, [{ b: 2 }]],
    [["", " "], { lt: 1 }, "unknown", ["", " "]],
  ])("of %j by %j with the type %j gives %j", (values, condition, type, expected) => {
    expect(view(values, filter(condition), type)).toEqual(expected);
  });

  it("holds for rows that meet all conditions of all filters", () => {
    const filters = [
      { column: "a", gt: 1 },
      { column: "at", lt: 2 },
    ];
    expect(view([1, 2, 3], { filters } as ViewMembers)).toEqual([2]);
  });

  it("holds for rows that meet one condition of each group", () => {
    const or = [
      { column: "a", gt: 1, lt: 3 },
      { column: "a", eq: null },
      { column: "at", eq: 0 },
    ];
    const filters = [{ or }, { column: "at", neq: 1 }];
    expect(view([1, 2, 3, null], { filters: [{ or }] } as ViewMembers)).toEqual([1, 2, null]);
    expect(view([1, 2, 3, null], { filters } as ViewMembers)).toEqual([1, null]);
  });

  it("without a comparison is refused", () => {
    expect(() => view([1], filter({}))).toThrow();
  });
});

describe("sorting", () => {
  it.each([
    [[3, null, 1, 2], "asc", undefined, [1, 2, 3, null]],
    [[3, null, 1, 2], "desc", undefined, [3, 2, 1, null]],
    [["10", "9", "2"], "asc", undefined, ["10", "2", "9"]],
    [["10", "9", 2.5], "desc", "number", ["10", "9", 2.5]],
    [[true, false], "asc", undefined, [false, true]],
    [[{ b: 2 }, { b: 1 }], "asc", undefined, [{ b: 1 }, { b: 2 }]],
    [
      ["12345678901234567891", "12345678901234567890"],
      "asc",
      "number",
      ["12345678901234567890", "12345678901234567891"],
    ],
  ] as const)("of %j %s with the type %j gives %j", (values, direction, type, expected) => {
    expect(view(values, sorted(direction), type)).toEqual(expected);
  });

  it("keeps the order of equal rows, and of all rows without a sort key", () => {
    const rows = (members: ViewMembers) =>
      viewRows(
        resultSet({
          columns: ["a", "b"],
          rows: [
            [2, 1],
            [1, 2],
            [2, 3],
          ],
        }),
        members,
      );
    expect(rows(sorted("asc"))).toEqual([
      [1, 2],
      [2, 1],
      [2, 3],
    ]);
    expect(rows({})).toEqual([
      [2, 1],
      [1, 2],
      [2, 3],
    ]);
  });

  it("of an unknown column names the columns", () => {
    const members = { sortBy: [{ column: "b", direction: "asc" }] } as ViewMembers;
    expect(() => view([1], members)).toThrow(
      expect.objectContaining({ data: { column: "b", columns: ["a", "at"], member: "sortBy" } }),
    );
  });
});
