import { expect, it } from "vitest";
import { columnNames } from "../../src/statement/select-list.ts";

const unknown = ["id", "name", "value"];

it.each([
  ["select a, b as c, d e from f", ["a", "c", "e"]],
  ["SELECT A FROM b", ["A"]],
  ["select a.b, c.*, * from d", ["b", ...unknown, ...unknown]],
  ['select a "x ""y""", "z" from b', ['x "y"', "z"]],
  ["select 1, a + 1, f(a), f(a) g, -b, :c, 'text' from d", ["col0", "col1", "col2", "g", "b", "c", "col6"]],
  ["select $1, ?, $a, a$b, b2 from c", ["col0", "col1", "col2", "col3", "b2"]],
  ["select f(a, (select b from c), d) e, (g) from h", ["e", "col1"]],
  ["with a as (select b, c from d) select e from a", ["e"]],
  ["select a from b union select c, d from e", ["c", "d"]],
  ["select a, , b from c", ["a", "b"]],
  ["select", unknown],
  ["select from a", unknown],
  ["insert into a values (1, 2)", unknown],
  ["selected a, b", unknown],
  ["select a -- , b\n, c /* , d */ from e", ["a", "c"]],
  ["select ' from ', a from b", ["col0", "a"]],
])("the columns of %s are %j", (sql, names) => {
  expect(columnNames(sql)).toEqual(names);
});
