import { describe, expect, it } from "vitest";
import { columnMembers, resultView, type ViewMembers } from "../src/view.ts";

const columns = ["id", "Name", "name", "Year", "year", "__proto__"].map((name) => ({
  name,
  kind: "string" as const,
  engineType: "VARCHAR",
}));
const unused = { eq: null, neq: null, gt: null, gte: null, lt: null, lte: null, like: null, in: null, in_: null };

describe("the conditions of a view", () => {
  it.each<[string, ViewMembers["filters"], unknown]>([
    ["are none without filters", undefined, []],
    ["are none with null as filters", null, []],
    ["find a column by its exact name", [{ column: "name", eq: 1 }], [{ index: 2, operator: "eq", values: [1] }]],
    ["find a column in any case", [{ column: "ID", eq: 1 }], [{ index: 0, operator: "eq", values: [1] }]],
    ["find the first of several in any case", [{ column: "YEAR", eq: 1 }], [{ index: 3, operator: "eq", values: [1] }]],
    [
      "find a column with a name of objects",
      [{ column: "__proto__", eq: 1 }],
      [{ index: 5, operator: "eq", values: [1] }],
    ],
    [
      "are all of one filter",
      [{ column: "id", gte: 1, lt: 9, like: "a%", in: [1, null], notIn: [] }],
      [
        { index: 0, operator: "gte", values: [1] },
        { index: 0, operator: "lt", values: [9] },
        { index: 0, operator: "like", values: ["a%"] },
        { index: 0, operator: "in", values: [1, null] },
        { index: 0, operator: "notIn", values: [] },
      ],
    ],
    ["take `in_` for `in`", [{ column: "id", in_: [1] }], [{ index: 0, operator: "in", values: [1] }]],
    [
      "leave out the comparisons that a client sends as null",
      [{ ...unused, column: "id", gt: 0 }],
      [{ index: 0, operator: "gt", values: [0] }],
    ],
    [
      "ask for nulls where nothing else is sent",
      [{ column: "id", neq: null }],
      [{ index: 0, operator: "neq", values: [null] }],
    ],
    ["ask for nulls once", [{ ...unused, column: "id" }], [{ index: 0, operator: "eq", values: [null] }]],
    [
      "are those of all filters",
      [
        { column: "id", eq: 0 },
        { column: "name", eq: "" },
      ],
      [
        { index: 0, operator: "eq", values: [0] },
        { index: 2, operator: "eq", values: [""] },
      ],
    ],
    [
      "keep the comparisons of each condition of a group together",
      [
        {
          or: [
            { column: "id", gt: 0, lt: 9 },
            { column: "YEAR", eq: 1 },
          ],
        },
        { column: "name", eq: "" },
      ],
      [
        {
          or: [
            [
              { index: 0, operator: "gt", values: [0] },
              { index: 0, operator: "lt", values: [9] },
            ],
            [{ index: 3, operator: "eq", values: [1] }],
          ],
        },
        { index: 2, operator: "eq", values: [""] },
      ],
    ],
  ])("%s", (_, filters, conditions) => {
    expect(resultView(columns, { filters })).toEqual({ conditions, sortKeys: [] });
  });
});

it("the order of a view has its columns in the order of the call", () => {
  const sortBy = [
    { column: "NAME", direction: "desc" },
    { column: "id", direction: "asc" },
  ] as const;
  const sortKeys = [
    { index: 1, descending: true },
    { index: 0, descending: false },
  ];
  expect(resultView(columns, { sortBy })).toEqual({ conditions: [], sortKeys });
  expect(resultView(columns, { sortBy: null })).toEqual({ conditions: [], sortKeys: [] });
});

it("a view has up to 64 conditions, those of groups included", () => {
  const or = Array.from({ length: 32 }, () => ({ column: "id", eq: 1 }));
  expect(resultView(columns, { filters: [{ or }, { or }] })).toHaveProperty("conditions.length", 2);
  expect(resultView(columns, { filters: [{ or }, { or }, { column: "id", eq: 1 }] })).toEqual({
    issue: {
      pointer: "/filters",
      expected: "at most 64 conditions, those of groups included",
      received: "65 conditions",
    },
  });
});

describe("a view is refused", () => {
  it.each<[string, ViewMembers, unknown]>([
    [
      "for an unknown column of a filter",
      { filters: [{ column: "none", eq: 1 }] },
      { unknownColumn: "none", member: "filters" },
    ],
    [
      "for an unknown column of the order",
      { sortBy: [{ column: "toString", direction: "asc" }] },
      { unknownColumn: "toString", member: "sortBy" },
    ],
    [
      "for a filter without a comparison",
      {
        filters: [
          { column: "id", eq: 1 },
          { column: "id", like: null },
        ],
      },
      { issue: { pointer: "/filters/1", expected: "at least one comparison", received: "none" } },
    ],
    [
      "for a condition of a group without a comparison",
      { filters: [{ column: "id", eq: 1 }, { or: [{ column: "id", eq: 1 }, { column: "id" }] }] },
      { issue: { pointer: "/filters/1/or/1", expected: "at least one comparison", received: "none" } },
    ],
    [
      "for an unknown column of a group",
      { filters: [{ or: [{ column: "none", eq: 1 }] }] },
      { unknownColumn: "none", member: "filters" },
    ],
  ])("%s", (_, members, refusal) => {
    expect(resultView(columns, members)).toEqual(refusal);
  });
});

it("a page names its columns with their kinds and the engine's types", () => {
  const shown = [
    { name: "n", kind: "number" as const, engineType: "BIGINT" },
    { name: "n", kind: "date" as const, engineType: "DATE" },
  ];
  expect(columnMembers(shown)).toEqual({
    columnNames: ["n", "n"],
    columnTypes: ["number", "date"],
    columnEngineTypes: ["BIGINT", "DATE"],
  });
});
