import { expect, it } from "vitest";
import { bareStatement, splitExplain } from "../../src/executor/statement-text.ts";

it.each([
  ["select 1", "select 1"],
  ["select 1;", "select 1"],
  ["select 1 ; \n;", "select 1"],
  ["select 1 -- end", "select 1"],
  ["select 1; -- end ; really\n", "select 1"],
  ["select 1 /* a /* b */ c */ ;", "select 1"],
  ["-- start\nselect 1;", "-- start\nselect 1"],
  ["select 1 -- a\rwhere false; -- b\r", "select 1 -- a\rwhere false"],
  ["select ';'", "select ';'"],
  ["select '--';", "select '--'"],
  ["select 'it''s;' ;", "select 'it''s;'"],
  ["select E'it\\'s;' ; --x", "select E'it\\'s;'"],
  ['select 1 as ";--" ;', 'select 1 as ";--"'],
  ["select $$a;--b$$ ;", "select $$a;--b$$"],
  ["select $q$a;$$--b$q$ ;", "select $q$a;$$--b$q$"],
  ["select $a1$ x -- y $a1$ ;", "select $a1$ x -- y $a1$"],
  ["select $ä1$ x -- y $ä1$ ;", "select $ä1$ x -- y $ä1$"],
  ["select 1 as a$b$ -- z $b$", "select 1 as a$b$"],
  ["select $1 ;", "select $1"],
  ["select 5 - -3 ;", "select 5 - -3"],
  ["select 1 /* open", "select 1"],
  ["select 1 /* a */ /* b */", "select 1"],
  ["select 1 /* a */ + 2 /* b */;", "select 1 /* a */ + 2"],
  ["select $a$ 1 $b$ ; $a$;", "select $a$ 1 $b$ ; $a$"],
  ["select E'\\\\' ; --'", "select E'\\\\'"],
  ["select E'a''b;' ;", "select E'a''b;'"],
  ["select E'open ;", "select E'open"],
  ["select '\\';", "select '\\'"],
  ['select "a"";" ;', 'select "a"";"'],
  ["select 1--;", "select 1"],
  ["select 1 - 2;", "select 1 - 2"],
  ["select ä;", "select ä"],
  ["select 12;", "select 12"],
  [";;", ""],
  ["", ""],
  ["-- only", ""],
  ["select case when true then e'x' end;", "select case when true then e'x' end"],
])("%j ends where its last sign does", (sql, bare) => {
  expect(bareStatement(sql)).toBe(bare);
});

it.each([
  ["explain select 1", "explain", "EXPLAIN", " select 1"],
  ["EXPLAIN ANALYZE select 1", "EXPLAIN ANALYZE", "EXPLAIN ANALYZE", " select 1"],
  ["explain analyse select 1", "explain analyse", "EXPLAIN ANALYZE", " select 1"],
  ["; /* a */ explain -- b\n select 1;", "; /* a */ explain", "EXPLAIN", " -- b\n select 1;"],
  ["explain (analyze) select 1", "explain (analyze)", "EXPLAIN (analyze)", " select 1"],
  ["explain (ANALYSE) select 1", "explain (ANALYSE)", "EXPLAIN (ANALYSE)", " select 1"],
  ["explain (format json) select (1)", "explain (format json)", "EXPLAIN (format json)", " select (1)"],
  ["explain (format 'json') select 1", "explain (format 'json')", "EXPLAIN (format 'json')", " select 1"],
  ['explain (format "json") select 1', 'explain (format "json")', 'EXPLAIN (format "json")', " select 1"],
  ["explain (analyze, format\njson) x", "explain (analyze, format\njson)", "EXPLAIN (analyze , format json)", " x"],
  ["explain (format 'a b') select 1", "explain", "EXPLAIN", " (format 'a b') select 1"],
  ["explain (analyze; 1) select 1", "explain", "EXPLAIN", " (analyze; 1) select 1"],
  ["explain (select 1)", "explain", "EXPLAIN", " (select 1)"],
  ["explain", "explain", "EXPLAIN", ""],
])("splits %j", (sql, head, options, inner) => expect(splitExplain(sql)).toEqual({ head, options, inner }));

it.each(["select 1", "", "-- explain", "explained select 1", '"explain" select 1'])("does not split %j", (sql) =>
  expect(splitExplain(sql)).toBeUndefined(),
);
