import { describe, expect, it } from "vitest";
import { camelCase, errorTypeName, identifier, kebabCase, pascalCase, propertyKey, singular } from "../src/names.ts";

describe("names", () => {
  it.each([
    ["getQueryRun", "get-query-run"],
    ["resultTTLHours", "result-ttl-hours"],
    ["query.explain-plan", "query-explain-plan"],
    ["SQL", "sql"],
    ["notIn", "not-in"],
  ])("%s is %s in a command", (name, want) => expect(kebabCase(name)).toBe(want));

  it.each([
    ["getQueryRun", "GetQueryRun"],
    ["query.explain-plan", "QueryExplainPlan"],
    ["a_b", "AB"],
  ])("%s is %s as a type", (name, want) => expect(pascalCase(name)).toBe(want));

  it("begins a variable in lower case", () => expect(camelCase("QueryRun")).toBe("queryRun"));

  it.each([
    ["delete", "deleteMethod"],
    ["query.explain", "queryExplain"],
  ])("%s is %s as a function", (name, want) => expect(identifier(name)).toBe(want));

  it.each([
    ["sql", "sql"],
    ["query.explain", '"query.explain"'],
    ["__proto__", '"__proto__"'],
    ["1st", '"1st"'],
  ])("%s is written %s as a key", (name, want) => expect(propertyKey(name)).toBe(want));

  it.each([
    ["tags", "tag"],
    ["queries", "query"],
    ["address", "address"],
    ["env", "env"],
  ])("%s repeats as %s", (name, want) => expect(singular(name)).toBe(want));

  it("does not end an error's type twice", () => {
    expect([errorTypeName("QueryRunNotFound"), errorTypeName("DuckDBError")]).toEqual([
      "QueryRunNotFoundError",
      "DuckDBError",
    ]);
  });
});
