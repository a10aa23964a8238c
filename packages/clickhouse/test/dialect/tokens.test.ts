import { expect, it } from "vitest";
import { isOneOf, nameOf, tokensOf } from "../../src/dialect/tokens.ts";

const texts = (sql: string) => tokensOf(sql).map(({ text }) => text);

const quoted = ["'", '"', "`"].flatMap((quote) =>
  ["\\ ", "\\\n", "\\x", "\\\\", `\\${quote}`, `${quote}${quote}`, ";", "--", "/*"].map(
    (inner) => `${quote}a${inner}b;${quote}`,
  ),
);

it.each(quoted)("takes %j as one token", (text) => {
  expect(texts(`a${text} ;`)).toEqual(["a", text, ";"]);
});

it.each([
  ["a b\r\n\t\f\vc", ["a", "b", "c"]],
  ["a -- b\nc", ["a", "c"]],
  ["a--b", ["a"]],
  ["a // b\nc", ["a", "c"]],
  ["a # b\nc", ["a", "c"]],
  ["a #! b\nc", ["a", "c"]],
  ["a #b", ["a", "#", "b"]],
  ["a - b / c", ["a", "-", "b", "/", "c"]],
  ["a /* b */ c", ["a", "c"]],
  ["a /* b /* c */ d */ e", ["a", "e"]],
  ["a/**/b", ["a", "b"]],
  ["a /* b", ["a", "/", "*", "b"]],
  ["a /* b /* c */ d", ["a", "/", "*", "b", "d"]],
  ["_a1 1b 2", ["_a1", "1b", "2"]],
  ["$$ a ; $$", ["$$ a ; $$"]],
  ["$t$ a $$ ; $t$ b", ["$t$ a $$ ; $t$", "b"]],
  ["$t$\n;\n$t$", ["$t$\n;\n$t$"]],
  ["'a", ["'", "a"]],
  ['"a', ['"', "a"]],
  ["`a", ["`", "a"]],
  ["'a\\' b", ["'", "a", "\\", "'", "b"]],
  ["a #", ["a", "#"]],
  ["a / / b", ["a", "/", "/", "b"]],
  ["a -- b -- c\nd -- e", ["a", "d"]],
  ["a // b\r c\nd", ["a", "d"]],
  ["a/* b\n*/c", ["a", "c"]],
  ["a /*/ b */ c", ["a", "c"]],
  ["a /* b */ c /* d */ e", ["a", "c", "e"]],
  ["a */ b", ["a", "*", "/", "b"]],
  ["$a b$", ["$", "a", "b", "$"]],
  ["$t$a$t$b$t$c$t$", ["$t$a$t$", "b", "$t$c$t$"]],
  ["aZ_09 Z", ["aZ_09", "Z"]],
  ["1e5.2", ["1e5", ".", "2"]],
  ["a\u00a0b", ["a", "\u00a0", "b"]],
  ["{a:Int8}<=", ["{", "a", ":", "Int8", "}", "<", "="]],
  ["'a' 'b'", ["'a'", "'b'"]],
  ["'' \"\" ``", ["''", '""', "``"]],
  ["ü é", ["ü", "é"]],
  ["", []],
])("splits %j", (sql, expected) => {
  expect(texts(sql)).toEqual(expected);
});

it("has the offsets of each token", () => {
  expect(tokensOf("ab  'c' ;")).toEqual([
    { text: "ab", start: 0, end: 2 },
    { text: "'c'", start: 4, end: 7 },
    { text: ";", start: 8, end: 9 },
  ]);
});

it.each([
  ["Select", "select"],
  ['"A b"', "a b"],
  ["`A``b`", "a``b"],
  ['"A""B"', 'a""b'],
  ['"a\nB"', "a\nb"],
  ['""', ""],
  ["_A1", "_a1"],
  ["Zz", "zz"],
  ["zz", "zz"],
  ["'a'", undefined],
  ['"', undefined],
  ["`", undefined],
  ["$$a$$", undefined],
  ["1a", undefined],
  [";", undefined],
])("the name of %s is %s", (text, name) => {
  expect(nameOf(tokensOf(text)[0])).toBe(name);
});

it("compares words without case, and no quoted name", () => {
  expect(isOneOf(tokensOf("select")[0], "FROM", "SELECT")).toBe(true);
  expect(isOneOf(tokensOf("select")[0], "FROM")).toBe(false);
  expect(isOneOf(tokensOf('"select"')[0], "SELECT")).toBe(false);
  expect(isOneOf(undefined, "SELECT")).toBe(false);
  expect(nameOf(undefined)).toBeUndefined();
});
