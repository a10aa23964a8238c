import { describe, expect, it } from "vitest";
import { seededRows } from "../../src/results/seeded-rows.ts";
import { columnNames } from "../../src/statement/select-list.ts";

const query = { parameters: null, tags: {}, dataSource: "samples" };

describe("seeded rows", () => {
  it("follow from seed, statement and parameters", () => {
    const rows = (seed: number, sql: string, parameters: unknown[] | null = null) =>
      JSON.stringify(seededRows(seed, { ...query, sql, parameters: parameters as null }), (_, value) =>
        typeof value === "bigint" ? String(value) : value,
      );
    expect(rows(1, "select a from b")).toBe(rows(1, "SELECT a -- all\nFROM b;"));
    expect(
      new Set([
        rows(1, "select a from b"),
        rows(2, "select a from b"),
        rows(1, "select a from c"),
        rows(1, "select a from b", [1]),
      ]).size,
    ).toBe(4);
  });

  it("have one type for each column name", () => {
    const typeOf = (sql: string) =>
      seededRows(1, { ...query, sql }).columns.find((column) => typeof column !== "string" && column.name === "year");
    expect(typeOf("select year from cars")).toEqual(typeOf("select name, year from trucks"));
  });
});

describe("columns", () => {
  it.each([
    [
      'select name, c.year, count(*) as n, max(a, b), "an ""odd"" one" from cars',
      ["name", "year", "n", "col3", 'an "odd" one'],
    ],
    ["with x as (select a, b from c) select distinct d from x", ["d"]],
    ["select 1, 'select a', x.*", ["col0", "col1", "id", "name", "value"]],
    ["select (select a from b) z, c from d", ["z", "c"]],
    ["select a from b union all select c from d", ["c"]],
    ["show tables", ["id", "name", "value"]],
  ])("of %s", (sql, names) => {
    expect(columnNames(sql)).toEqual(names);
  });
});
