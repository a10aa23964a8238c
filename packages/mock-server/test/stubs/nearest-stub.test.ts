import { expect, it } from "vitest";
import type { MockQuery } from "../../src/statement/query.ts";
import { type Mismatch, unmatchedText } from "../../src/stubs/nearest-stub.ts";

const query: MockQuery = {
  sql: "select name from cars where year = 1970",
  parameters: null,
  tags: {},
  dataSource: "samples",
};

function mismatch(text: string, sql: string | undefined = text, names: readonly string[] = ["the SQL"]): Mismatch {
  return { condition: { text, sql, mismatches: () => names }, names };
}

const pattern = (text: string): Mismatch => ({
  condition: { text, sql: undefined, mismatches: () => ["the SQL"] },
  names: ["the SQL"],
});

/** Returns the text of the nearest stub. */
const nearest = (...mismatches: readonly Mismatch[]) =>
  /; the nearest is when\((.*)\), which differs in/.exec(unmatchedText(query, mismatches))?.[1];

it.each<[string, Mismatch, Mismatch]>([
  [
    "the same SQL and other tags",
    mismatch("tags", query.sql, ["the tags"]),
    mismatch("1970 = year where cars from name select"),
  ],
  ["more words in common", mismatch("select name from boats"), mismatch("select age from boats")],
  ["fewer other words", mismatch("select name from boats"), mismatch("select name from boats as a order by b")],
  ["more of the words of the statement", mismatch("select name from boats"), mismatch("select")],
  ["more different words", mismatch("select name a"), mismatch("select select select select a b")],
  ["any SQL with a common word", mismatch("select 7"), pattern("/boats/")],
])("the nearest stub has %s", (_name, near, far) => {
  expect(nearest(near, far)).toBe(near.condition.text);
  expect(nearest(far, near)).toBe(near.condition.text);
  expect(nearest(far, near, far)).toBe(near.condition.text);
});

it("the nearest of equal stubs is the first", () => {
  expect(nearest(mismatch("select a"), mismatch("select b"))).toBe("select a");
  expect(nearest(pattern("/a/"), pattern("/b/"))).toBe("/a/");
});

it.each<[string, Mismatch | undefined, string]>([
  ["no stub", undefined, "none is defined"],
  [
    "SQL and tags",
    mismatch("a stub", "select name from boats", ["the SQL", "the tags"]),
    'the nearest is when(a stub), which differs in the SQL and the tags (expected "boats", got "cars")',
  ],
  [
    "tags only",
    mismatch("a stub", "select name from boats", ["the tags"]),
    "the nearest is when(a stub), which differs in the tags",
  ],
  ["a pattern", pattern("/boats/"), "the nearest is when(/boats/), which differs in the SQL"],
  [
    "the first word",
    mismatch("values 1"),
    'the nearest is when(values 1), which differs in the SQL (expected "values", got "select")',
  ],
  [
    "two missing words",
    mismatch("a stub", `${query.sql} limit 1`),
    'the nearest is when(a stub), which differs in the SQL (missing "limit")',
  ],
  [
    "two more words",
    mismatch("a stub", "select name from cars where"),
    'the nearest is when(a stub), which differs in the SQL (unexpected "year")',
  ],
])("a statement that no stub matches is described with %s", (_name, stub, text) => {
  expect(unmatchedText(query, stub === undefined ? [] : [stub])).toBe(
    `no stub matches "select name from cars where year = 1970"; ${text}`,
  );
});
