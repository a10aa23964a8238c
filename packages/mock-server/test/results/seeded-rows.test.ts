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

it.each([
  ["select (a), b c from d", ["col0", "c"]],
  ["SELECT a FROM b", ["a"]],
  ["select a, , b", ["a", "b"]],
  ["select a.b, $1, ?, $c, 5", ["b", "col1", "col2", "col3", "col4"]],
  ["select 'from', count(distinct a, b)", ["col0", "col1"]],
  ["select x from (select y, z from t) order by a, b", ["x"]],
  ['select "a,b", "c" from d', ["a,b", "c"]],
  ["from a", ["id", "name", "value"]],
])("the columns of %s are %j", (sql, names) => {
  expect(columnNames(sql)).toEqual(names);
});

describe("the cells of seeded rows", () => {
  const tables = Array.from({ length: 400 }, (_, seed) => seededRows(seed, { ...query, sql: "select a, b" }));

  it("are null or edge cases of the type of their column", () => {
    const seen = new Map<string, Set<unknown>>();
    for (const { columns, rows } of tables)
      for (const row of rows)
        for (const [at, value] of row.entries()) {
          const type = String((columns[at] as { type: string }).type);
          seen.set(type, (seen.get(type) ?? new Set()).add(value));
        }
    expect([...seen.keys()].sort()).toEqual(["array", "boolean", "date", "number", "object", "string"]);
    expect([...(seen.get("boolean") ?? [])].map(String).sort()).toEqual(["false", "null", "true"]);
    const texts = ["plain", "größer", "☃", "😀", '"quoted"\n', "", "0", "null", "a, b", "<b>", null];
    expect(seen.get("string")).toEqual(new Set(texts));
    const numbers = seen.get("number") ?? new Set();
    for (const edge of [0, 1, -1, 0.1, 1e21, 2 ** 53, 12_345_678_901_234_567_890n, Number.NaN, null])
      expect(numbers.has(edge)).toBe(true);
    const dates = [...(seen.get("date") ?? [])].flatMap((date) => (date instanceof Date ? [date] : []));
    const years = dates.map((date) => date.getUTCFullYear());
    expect([Math.min(...years), Math.max(...years)]).toEqual([1_900, 2_099]);
    // Each month has these days.
    const days = dates.map((date) => date.getUTCDate());
    expect([Math.min(...days), Math.max(...days)]).toEqual([1, 28]);
    for (const value of seen.get("array") ?? [])
      if (value !== null) expect(value).toEqual([expect.any(Number), expect.any(String)]);
    for (const value of seen.get("object") ?? [])
      if (value !== null) expect(value).toEqual({ a: expect.any(Number), b: null });
  });

  it("are fewer than 30 rows, sometimes none", () => {
    const counts = tables.map(({ rows }) => rows.length);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([0, 29]);
  });
});
