import { describe, expect, it } from "vitest";
import { normalizedStatement, parameterNames } from "../src/sql-text.ts";
import { createStubs, type Matcher } from "../src/stub.ts";

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
  ])("with %s matches: %s", (matcher, matches) => {
    const stubs = createStubs();
    stubs.when(matcher).rows([{ n: 1 }]);
    // Twice, since a pattern with the flag `g` must not remember where it stopped.
    for (let times = 0; times < 2; times++) expect(stubs.planFor(query).outcome !== undefined).toBe(matches);
  });

  it("that was made last answers", () => {
    const stubs = createStubs();
    stubs.when(/./).fails({ errorMessage: "first" });
    stubs.when(/cars/).fails({ errorMessage: "last" }).after("3s");
    expect(stubs.planFor(query)).toMatchObject({ outcome: { failure: { message: "last" } }, script: { ms: 3_000 } });
  });

  it.each([0, -1, 1.5])("refuses %j polls", (polls) => {
    expect(() => createStubs().when("select").afterPolls(polls)).toThrow(RangeError);
  });

  it("refuses a row that is longer than its columns", () => {
    expect(() =>
      createStubs()
        .when("select")
        .rows({ columns: ["a"], rows: [[1, 2]] }),
    ).toThrow(TypeError);
  });
});

describe("a statement's text", () => {
  it.each([
    ["select  1 ; ", "select 1"],
    ["/* a */ select/**/'A''b' , \"C\"", "select 'A''b' , \"C\""],
    ["select 4/2 - 1", "select 4/2 - 1"],
    ["select 'open", "select 'open"],
  ])("%j is compared as %j", (sql, text) => {
    expect(normalizedStatement(sql)).toBe(text);
  });

  it.each([
    ["select ?, ?", ["1", "2"]],
    ["select $a, $b, $a, '$c', \"$d\" -- $e", ["a", "b"]],
    ["select 1", []],
  ])("%j has the parameters %j", (sql, names) => {
    expect(parameterNames(sql)).toEqual(names);
  });
});
