import { expect, it } from "vitest";
import { explained } from "../../src/source/description.ts";
import { numbered } from "../../src/source/parameters.ts";
import { admit } from "./admit-at-once.ts";
import { hostileStatements } from "./hostile-statements.ts";

function failureOf(sql: string): unknown {
  try {
    return { admitted: admit(sql) };
  } catch (error) {
    return (error as { readonly failure: unknown }).failure;
  }
}

it.each([
  "EXPLAIN",
  "EXPLAIN ANALYZE",
  "explain /* a /* b */ */ analyse -- c\n verbose",
  "-- first\nEXPLAIN (ANALYZE, BUFFERS off, FORMAT 'json')",
])("refuses each hostile statement after %j as without it", (head) => {
  for (const sql of hostileStatements) expect(failureOf(`${head} ${sql}`), sql).toEqual(failureOf(sql));
});

it.each([
  ["explain select 1", "EXPLAIN", " select 1"],
  ["/* a */ EXPLAIN\n(select 1);", "EXPLAIN", "\n(select 1)"],
  ["explain (values (1))", "EXPLAIN", " (values (1))"],
  ["explain((with a as (select 1) table a))", "EXPLAIN", "((with a as (select 1) table a))"],
  ["EXPLAIN ANALYSE SELECT 1", "EXPLAIN (analyze)", " SELECT 1"],
  ["explain verbose select 1", "EXPLAIN (verbose)", " select 1"],
  ["explain analyze verbose select 1", "EXPLAIN (analyze, verbose)", " select 1"],
  [
    "explain (analyse, timing OFF, format\n'yaml') (select 1)",
    "EXPLAIN (analyze, timing OFF, format 'yaml')",
    " (select 1)",
  ],
  ["explain (costs 0)table t", "EXPLAIN (costs 0)", "table t"],
])("reads the options of %j", (sql, explain, statement) => {
  const admitted = admit(sql);
  expect(admitted.explain).toBe(explain);
  expect(sql.slice(admitted.start, admitted.end)).toBe(statement);
});

it.each(["select 1 as explain", "with explain as (select 1) select * from explain", "select 'explain analyze'"])(
  "takes %j for no EXPLAIN",
  (sql) => expect(admit(sql)).toMatchObject({ explain: undefined, start: 0 }),
);

it.each([
  [
    "explain (settings) select 1",
    /^Statement not allowed: the option settings of EXPLAIN is not allowed; use ANALYZE, /,
  ],
  ["explain (analyze, generic_plan) select 1", /the option generic_plan of EXPLAIN/],
  ["explain (format json yaml) select 1", /the option FORMAT of EXPLAIN has no valid value; use one word\.$/],
  ["explain (format json); delete from t", /^Statement not allowed: the text has several statements/],
  ["explain (format $$json$$) select 1", /has no valid value/],
  ["explain (format $1) select 1", /has no valid value/],
  ["explain (analyze, (select 1)) select 1", /the option \( of EXPLAIN/],
  ["explain (analyze", /the option ANALYZE of EXPLAIN has no valid value/],
  [`explain (analyze ${", analyze".repeat(100_000)}) select 1`, /the option {2}of EXPLAIN|no valid value/],
  ["explain explain select 1", /it is not a query; send SELECT, WITH, VALUES or TABLE, or EXPLAIN of one\.$/],
  ['"explain" select 1', /it is not a query/],
  ["(explain select 1)", /it is not a query/],
  ["select * from (explain analyze delete from t)", /it writes|not allowed/],
])("refuses an invalid head or statement (%#)", (sql, message) => expect(() => admit(sql)).toThrow(message));

it("shows where an error is in the statement of the caller", () => {
  const sql = "explain (format json) select $name + $other";
  const statement = numbered(admit(sql), null);
  const { text, origin, names } = explained(statement, "EXPLAIN (format json)");
  expect(text).toBe("EXPLAIN (format json) SELECT * FROM (\n select $1 + $2\n) AS q");
  expect(names).toEqual(["name", "other"]);
  for (const part of ["select", "$", "+"]) expect(origin(text.indexOf(part, 36))).toBe(sql.indexOf(part));
  expect(origin(text.indexOf("$2"))).toBe(sql.indexOf("$other"));
  expect(origin(3)).toBe(0);
});

it("binds marks after EXPLAIN, and not those of another statement", () => {
  expect(numbered(admit("explain analyze select ?, a ?| b"), [1, 2])).toMatchObject({
    text: " select  $1 , a  $2 | b",
  });
});
