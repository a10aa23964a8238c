import { describe, expect, it } from "vitest";
import type { Table } from "../../src/results/result-set.ts";
import type { MockQuery } from "../../src/statement/query.ts";
import type { Matcher } from "../../src/stubs/matcher.ts";
import { createStubList } from "../../src/stubs/stub-list.ts";

const query = {
  sql: "SELECT name\nFROM cars -- all of them\nWHERE origin = 'New  York';",
  parameters: null,
  tags: { env: "test" },
  dataSource: "samples",
};

describe("a stub", () => {
  it.each<[Matcher, boolean]>([
    ["select name from cars where origin = 'New  York'", true],
    ["select name from cars where origin = 'New York'", false],
    ["select name from cars where origin = 'new  york'", false],
    ["select name from cars", false],
    [/from\s+cars/i, true],
    [/from trucks/, false],
    [({ tags }) => tags.env === "test", true],
    [{ tags: { env: "test" } }, true],
    [{ tags: { env: "live" } }, false],
    [{ sql: /from cars/i, dataSource: "samples" }, true],
    [{ sql: /from cars/i, dataSource: "other" }, false],
    [{ sql: "select name from cars", tags: { env: "test" } }, false],
    [{ parameters: [] }, true],
    [{ parameters: [1] }, false],
  ])("with %s matches: %s", (matcher, matches) => {
    const stubs = createStubList();
    stubs.when(matcher).rows([{ n: 1 }]);
    // Twice: a pattern with the flag `g` must not continue after its last match.
    for (let times = 0; times < 2; times++) expect(stubs.planFor(query).outcome !== undefined).toBe(matches);
  });

  it("that is the newest answers", () => {
    const stubs = createStubList();
    stubs.when(/./).fails({ errorMessage: "first" });
    stubs.when(/cars/).fails({ errorMessage: "last" }).after("3s");
    expect(stubs.planFor(query)).toMatchObject({ outcome: { failure: { message: "last" } }, script: { ms: 3_000 } });
  });

  it.each([
    [{ parameters: ["New York", 7] }, true],
    [{ parameters: ["New York"] }, false],
    [{ parameters: [7, "New York"] }, false],
    [{ parameters: { 0: "New York" } }, false],
  ])("with %j matches positional parameters: %s", (matcher, matches) => {
    const stubs = createStubList();
    stubs.when(matcher).rows([]);
    const planned = stubs.planFor({ ...query, parameters: ["New York", 7] });
    expect(planned.outcome !== undefined).toBe(matches);
  });

  it("with named parameters matches statements that have more", () => {
    const stubs = createStubList();
    stubs.when({ parameters: { origin: "Japan" } }).rows([]);
    const outcomes = [{ origin: "Japan", limit: 3 }, { origin: "USA" }].map(
      (parameters) => stubs.planFor({ ...query, parameters }).outcome !== undefined,
    );
    expect(outcomes).toEqual([true, false]);
  });

  it.each([0, -1, 1.5])("refuses %j polls", (polls) => {
    expect(() => createStubList().when("select").afterPolls(polls)).toThrow(RangeError);
  });

  it("refuses a row that is longer than its columns", () => {
    expect(() =>
      createStubList()
        .when("select")
        .rows({ columns: ["a"], rows: [[1, 2]] }),
    ).toThrow(TypeError);
  });
});

describe("a stub refuses", () => {
  const refuse = (rows: unknown) =>
    expect(() =>
      createStubList()
        .when("select")
        .rows(rows as []),
    ).toThrow(TypeError);
  const table = (type: string, value: unknown) => ({ columns: [{ name: "a", type }], rows: [[value]] });

  it("a column of an unknown type, or a value without a JSON form", () => {
    refuse(table("weather", 1));
    refuse(table("number", () => 1));
    refuse(table("number", Symbol("a")));
  });

  it.each<[unknown, string]>([
    [undefined, "rows: expected an array of objects, or a table"],
    ["x", "rows: expected an array of objects, or a table"],
    [{ columns: ["a"] }, "rows: expected an array of objects, or a table"],
    [[[1]], "rows: invalid row 0: expected a plain object; pass arrays as { columns, rows }"],
    [[{}, null], "rows: invalid row 1: expected a plain object"],
    [{ columns: [1], rows: [] }, "rows: invalid column 0: expected a name"],
    [{ columns: ["a"], rows: [1] }, "rows: invalid row 0: expected an array"],
    [table("date", "soon"), 'rows: invalid value in row 0, column "a": expected date, got "soon"'],
    [table("number", "one"), 'expected number, got "one"'],
    [table("string", 1), "expected string, got 1"],
    [table("date", Number.NaN), "expected date, got NaN"],
    [[{ a: new Date(Number.NaN) }], "unsupported value: Invalid Date"],
  ])("%j: %s", (rows, message) => {
    expect(() =>
      createStubList()
        .when("select")
        .rows(rows as []),
    ).toThrow(expect.objectContaining({ name: "TypeError", message: expect.stringContaining(message) }));
  });

  it("a bigint in a column of another type", () => {
    const stub = createStubList().when("select");
    expect(() => stub.rows(table("boolean", 2n) as { columns: []; rows: [] })).toThrow("expected boolean, got 2");
  });

  it("no value that fits its column", () => {
    const values: readonly (readonly [string, unknown])[] = [
      ["date", "2026-01-31"],
      ["date", new Date(0)],
      ["number", "123456789012345678901234567890"],
      ["number", "NaN"],
      ["number", 7n],
      ["string", new Uint8Array(1)],
      ["unknown", "soon"],
      ["date", null],
    ];
    for (const [type, value] of values)
      createStubList()
        .when("select")
        .rows(table(type, value) as Table);
  });

  it("a failure that the contract does not allow, with the member", () => {
    const { fails } = createStubList().when("select");
    // @ts-expect-error there is no such category
    const fail = () => fails({ errorMessage: "no", errorData: { category: "WEATHER" } });
    expect(fail).toThrow(/^fails: invalid errorData\.category: expected .*"USER".*, got "WEATHER"$/);
  });
});

describe("a statement that no stub matches", () => {
  /** Returns the message of a strict mock for a statement; undefined if a stub matches. */
  function missOf(matchers: readonly Matcher[], one: MockQuery): string | undefined {
    const misses: string[] = [];
    const stubs = createStubList();
    for (const matcher of matchers) stubs.when(matcher);
    stubs.planFor(one, (text) => {
      misses.push(text);
      return {};
    });
    return misses[0];
  }

  it.each<[Matcher[], string]>([
    [[], "none is defined"],
    [
      ["select name from trucks", "select year from cars where origin = 'New  York'"],
      `the nearest is when("select year from cars where origin = 'New  York'"), which differs in the SQL (expected "year", got "name")`,
    ],
    [
      ["select name from cars where origin = 'New  York' order by 1"],
      `the nearest is when("select name from cars where origin = 'New  York' order by 1"), which differs in the SQL (missing "order")`,
    ],
    [
      ["select name from cars"],
      `the nearest is when("select name from cars"), which differs in the SQL (unexpected "where")`,
    ],
    [[/trucks/], "the nearest is when(/trucks/), which differs in the SQL"],
    [
      [/cars where/, { sql: query.sql, tags: { env: "live" }, parameters: [1] }],
      `the nearest is when(${JSON.stringify({ sql: query.sql, tags: { env: "live" }, parameters: [1] })}), which differs in the tags and the parameters`,
    ],
  ])("%#: gets the nearest stub", (matchers, text) => {
    expect(missOf(matchers, query)).toBe(`no stub matches ${JSON.stringify(query.sql)}; ${text}`);
  });

  it.each([
    ["select name from cars", "SELECT name FROM cars WHERE", 'unexpected "where"'],
    ["select name, year from cars", "select name from cars", 'expected ",", got "from"'],
    ["select 'a  b'", "select 'a b'", `expected "'a  b'", got "'a b'"`],
    ["select $$a  b$$", "select $$a b$$", 'expected "$$a  b$$", got "$$a b$$"'],
    ["select a < = b", "select a <= b", 'expected "<", got "<="'],
  ])("near %j, %j gets the first difference", (stub, sql, difference) => {
    const text = missOf([stub], { ...query, sql });
    expect(text).toContain(`which differs in the SQL (${difference})`);
  });

  it("is none if a stub matches, or its matcher throws", () => {
    expect(missOf([/cars/], query)).toBeUndefined();
    const failing = () => {
      throw new Error("no");
    };
    expect(missOf([failing], query)).toBeUndefined();
  });
});
