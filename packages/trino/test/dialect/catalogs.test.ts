import { expect, it } from "vitest";
import { allSlices } from "../../../adapter/test/all-slices.ts";
import { catalogsOf } from "../../src/dialect/catalogs.ts";
import { tokensOf } from "../../src/dialect/tokens.ts";

const catalogs = (sql: string) => [...allSlices(catalogsOf(allSlices(tokensOf(sql))))];

it.each<[string, string[]]>([
  ["SELECT 1 FROM A.s.t, b.s.t JOIN a.s.u ON true", ["a", "b"]],
  ["SELECT 1 FROM s.t", []],
  ["SELECT 1 FROM a.s.t.more", ["a"]],
  ["SELECT 1 FROM TABLE(system.builtin.sequence(1, 2))", []],
  ["SELECT a.s.c", []],
  ["SELECT a.s.c, b.s.c FROM t", []],
  ["SELECT 1 FROM t, u, a.s.t", ["a"]],
  ["SELECT 1 FROM a.s.t x, b.s.t", ["a", "b"]],
  ["SELECT x FROM a.s.t FROM b.s.t", ["a", "b"]],
  ["SELECT 1 FROM t UNION SELECT x, a.s.c", []],
  ["SELECT 1 FROM t UNION SELECT x FROM a.s.t", ["a"]],
  ["SELECT 1 FROM (SELECT ARRAY[1]), a.s.t", ["a"]],
  ["SELECT 1 FROM t JOIN u ON ARRAY[1, a.s.c] = v, b.s.t", ["b"]],
  ["SELECT 1 FROM t JOIN u ON f(1, a.s.c) = v, b.s.t", ["b"]],
  ["SELECT 1 FROM (t, a.s.t)", ["a"]],
  ["SELECT 1 FROM f(t, a.s.c)", []],
  ["SELECT x IS DISTINCT FROM a.s.c", []],
  ["SELECT x IS DISTINCT FROM y FROM a.s.t", ["a"]],
  ["SELECT DISTINCT x FROM a.s.t", ["a"]],
  ["SELECT trim(BOTH FROM a.s.c)", []],
  ["DELETE FROM a.s.t", ["a"]],
  ["TABLE a.s.t", ["a"]],
  ["SELECT f(x) WITHIN GROUP (ORDER BY a.s.c) FROM b.s.t GROUP BY x, a.s.c", ["b"]],
  ["SELECT s.extract(x FROM a.s.t)", ["a"]],
  ["SELECT substring(a.s.c FROM b.s.c FOR c.s.c), d.s.c", []],
  ['SELECT x AS "is" DISTINCT FROM a.s.t', ["a"]],
])("the tables of %j are in the catalogs %j", (sql, expected) => {
  expect(catalogs(sql)).toEqual(expected);
});

it.each<[string, string[]]>([
  ["SELECT a.s.f(1), s.f(1), f(1)", ["a"]],
  ["SELECT a.s.c + f(1)", []],
  ["SELECT system.builtin.lower('A')", []],
  ["SELECT system.other.f(1)", ["system"]],
  ["SELECT other.builtin.f(1)", ["other"]],
  ["SELECT r[1].a.s.f(1)", []],
  ["SELECT a.s.f(b.s.g(1))", ["a", "b"]],
])("the functions of %j are in the catalogs %j", (sql, expected) => {
  expect(catalogs(sql)).toEqual(expected);
});

it.each<[string, string[]]>([
  ["SHOW SCHEMAS FROM a", ["a"]],
  ["SHOW SCHEMAS LIKE x", []],
  ["SHOW ROLES IN a", ["a"]],
  ["SHOW ROLE GRANTS FROM a", ["a"]],
  ["SHOW CURRENT ROLES IN a", ["a"]],
  ["SHOW TABLES FROM a.s LIKE x", ["a"]],
  ["SHOW TABLES IN a.s", ["a"]],
  ["SHOW TABLES FROM s", []],
  ["SHOW FUNCTIONS FROM a.s", ["a"]],
  ["SHOW CREATE SCHEMA a.s", ["a"]],
  ["SHOW CREATE TABLE s.t", []],
  ["SHOW CREATE TABLE a.s.t", ["a"]],
  ["SHOW GRANTS ON SCHEMA a.s", ["a"]],
  ["SHOW GRANTS ON s.t", []],
  ["SHOW GRANTS ON TABLE a.s.t", ["a"]],
  ["SHOW COLUMNS FROM a.s.t.more", ["a"]],
  ["SHOW STATS FOR x SCHEMA s.t", []],
  ["SHOW STATS FOR (SELECT a.s.c FROM b.s.t)", ["b"]],
  ["DESCRIBE a.s.t.more.parts", ["a"]],
  ["DESC a.s.t", ["a"]],
  ["DESCRIBE s.t", []],
  ["SELECT a.s.t", []],
])("%j shows the catalogs %j", (sql, expected) => {
  expect(catalogs(sql)).toEqual(expected);
});

it.each(["SELECT a", "SHOW COLUMNS FROM a", "SELECT DISTINCT "])("reads a long statement in slices: %s", (first) => {
  for (const unit of [".a", "a.b,"]) {
    const tokens = allSlices(tokensOf(first.padEnd(262_144, unit)));
    expect([...catalogsOf(tokens)].length).toBeGreaterThan(50);
  }
});
