import { describe, expect, it } from "vitest";
import { boundedPattern } from "../../src/stubs/bounded-pattern.ts";
import { scripted } from "../scripted.ts";

describe("a pattern as text", () => {
  it.each(["(a+)+$", "(a|a)*b", "(.*)*x", "^(\\w+\\s?)*$"])("cannot hang the mock: %s", async (pattern) => {
    await using world = await scripted();
    const { apiKey } = world.mock;
    await world.admin.call("stubStatement", { apiKey, match: { pattern }, rows: [{ n: 1 }] });
    const { create, call } = world.as(apiKey);
    const [slow] = await Promise.all([create(`${"a".repeat(100_000)}!`), create("select 1")]);
    const { state, errorMessage } = (await call("getQueryRun", { queryRunId: slow })).queryRun;
    expect({ state, errorMessage }).toEqual({
      state: "QUERY_STATE_FAILED",
      errorMessage: expect.stringContaining(`pattern: ${JSON.stringify(pattern)} took longer than`),
    });
    expect(await world.admin.call("listNamespaces", {})).toEqual({ apiKeys: [apiKey] });
  });

  it.each([
    ["from CARS$", "select 1 from cars", 9],
    ["a\\sb", "a\u00a0b", 0],
    ["^a.b", "a\u2028b", -1],
    ["k", "\u212a", -1],
    ["(?<n>a)(?=b)\\k<n>?", "ab", 0],
    ["(?s:a.b)", "a\nb", 0],
    ["(?m:^b)", "a\nb", 2],
  ])("is one of ECMAScript: %s in %j", (pattern, sql, at) => {
    expect(sql.search(boundedPattern(pattern))).toBe(at);
  });
});
