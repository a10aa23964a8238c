import { expect, it } from "vitest";
import { bareStatement } from "../../src/executor/statement-text.ts";

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
  ["select case when true then e'x' end;", "select case when true then e'x' end"],
])("%j ends where its last sign does", (sql, bare) => {
  expect(bareStatement(sql)).toBe(bare);
});
