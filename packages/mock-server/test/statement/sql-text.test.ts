import { describe, expect, it } from "vitest";
import { normalizedStatement, parameterNames, statementWords } from "../../src/statement/sql-text.ts";

describe("a statement's text", () => {
  it.each([
    ["select  1 ; ;", "select 1"],
    ["/* a */ select/**/'A''b' , \"C\"", "SELECT 'A''b',\"C\""],
    ["select a,b from t", "select a , b\nfrom t"],
    ["select count( * ) from t where a>=1 and (b)=2", "select count(*) from t where a >= 1 and ( b ) = 2"],
    ["select a.b, c[1], d::int", "select a . b,c [ 1 ],d :: int"],
    ["select 4/2 - 1", "select 4 / 2-1"],
    ["select 1 /* a /* b */ c */ + 2", "select 1+2"],
    ["select $$ A 'b' -- c $$", "select\t$$ A 'b' -- c $$"],
    ["select E'it\\'s' , 1", "select E'it\\'s',1"],
    ["select 1 -- it's\n, 2", "select 1, 2"],
  ])("%j equals %j", (sql, other) => {
    expect(normalizedStatement(sql)).toBe(normalizedStatement(other));
  });

  it.each([
    ["select 'open", "select 'OPEN ED"],
    ["select $$A  b$$", "select $$A b$$"],
    ["select $$A$$", "select $$a$$"],
    ["select $x$ A  $$ b $x$", "select $x$ A $$ b $x$"],
    ["select E'a\\'  B', 'c'", "select E'a\\' B', 'c'"],
    ["select /* a /* b */ 1 */ 2", "select 1 */ 2"],
    ["select a < = b", "select a <= b"],
    ["select 1 .5", "select 1.5"],
    ["select a b", "select ab"],
    ["select 4 - -2", "select 4 --2"],
  ])("%j differs from %j", (sql, other) => {
    expect(normalizedStatement(sql)).not.toBe(normalizedStatement(other));
  });

  it.each([
    ["select ?, ?", ["1", "2"]],
    ["select $a, $b, $a, '$c', \"$d\" -- $e", ["a", "b"]],
    ["select $a -- $b\r, $c", ["a", "c"]],
    ["select 1", []],
  ])("%j has the parameters %j", (sql, names) => {
    expect(parameterNames(sql)).toEqual(names);
  });
});

it.each([
  ["SELECT A, 'B' ;;", ["select", "a", ",", "'B'"]],
  ["a::b->>c->d||e", ["a", "::", "b", "->>", "c", "->", "d", "||", "e"]],
  ["a<=b>=c<>d!=e==f=>g:=h", ["a", "<=", "b", ">=", "c", "<>", "d", "!=", "e", "==", "f", "=>", "g", ":=", "h"]],
  ["a!~~*b~~*c!~~d~~e", ["a", "!~~*", "b", "~~*", "c", "!~~", "d", "~~", "e"]],
  ["a@>b<@c&&d**e//f<<g>>h", ["a", "@>", "b", "<@", "c", "&&", "d", "**", "e", "//", "f", "<<", "g", ">>", "h"]],
  ["1.5e-3+.5 1_000 0xFF $1 $name_2", ["1.5e-3", "+", ".5", "1_000", "0xff", "$1", "$name_2"]],
  ["größe$1 _a", ["größe$1", "_a"]],
  ["N'A' x'F' B'1' U&'D' u&\"Q\" 'a''B'", ["N'A'", "x'F'", "B'1'", "U&'D'", 'u&"Q"', "'a''B'"]],
  ["$Tag$A $$ b$Tag$", ["$Tag$A $$ b$Tag$"]],
  ["/* open a", ["/", "*", "open", "a"]],
  ["a -- b", ["a"]],
  ["'open A", ["'", "open", "a"]],
  ["", []],
  [" ; ", []],
  ["a ; b", ["a", ";", "b"]],
])("the words of %j are %j", (sql, words) => {
  expect(statementWords(sql)).toEqual(words);
  expect(normalizedStatement(sql)).toBe(words.join(" "));
});
