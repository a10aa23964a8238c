import { expect, it } from "vitest";
import { allSlices } from "../../../adapter/test/all-slices.ts";
import { nameOf, tokensOf } from "../../src/dialect/tokens.ts";

const split = (sql: string) => allSlices(tokensOf(sql));

const texts = (sql: string): readonly string[] => {
  const tokens = split(sql);
  return Array.from({ length: tokens.length }, (_, index) => tokens.text(index));
};

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
  ["a /* b", ["a"]],
  ["a /* b /* c */ d", ["a"]],
  ["_a1 1b 2", ["_a1", "1b", "2"]],
  ["$$ a ; $$", ["$$ a ; $$"]],
  ["$t$ a $$ ; $t$ b", ["$t$ a $$ ; $t$", "b"]],
  ["$t$\n;\n$t$", ["$t$\n;\n$t$"]],
  ["b 'a", ["b"]],
  ['b "a', ["b"]],
  ["b `a", ["b"]],
  ["b 'a\\' c", ["b"]],
  ["a #", ["a", "#"]],
  ["a / / b", ["a", "/", "/", "b"]],
  ["a -- b -- c\nd -- e", ["a", "d"]],
  ["a // b\r c\nd", ["a", "d"]],
  ["a/* b\n*/c", ["a", "c"]],
  ["a /*/ b */ c", ["a", "c"]],
  ["a /* b */ c /* d */ e", ["a", "c", "e"]],
  ["a */ b", ["a", "*", "/", "b"]],
  ["a $a b$", ["a"]],
  ["$t$a$t$b$t$c$t$", ["$t$a$t$", "b"]],
  ["aZ_09 Z", ["aZ_09", "Z"]],
  ["1e5.2", ["1e5", ".", "2"]],
  ["a\u00a0b", ["a"]],
  ["{a:Int8}<=", ["{", "a", ":", "Int8", "}", "<", "="]],
  ["'a' 'b'", ["'a'", "'b'"]],
  ["'' \"\" ``", ["''", '""', "``"]],
  ["a ü é", ["a"]],
  ["", []],
])("splits %j", (sql, expected) => {
  expect(texts(sql)).toEqual(expected);
});

it("has the offsets of each token", () => {
  const tokens = split("ab  'c' ;");
  const offsets = [0, 1, 2].map((index) => [tokens.start(index), tokens.end(index)]);
  expect(offsets).toEqual([
    [0, 2],
    [4, 7],
    [8, 9],
  ]);
  expect([tokens.text(-1), tokens.text(3)]).toEqual(["", ""]);
});

it.each([
  ["a 'b", "a quote or comment has no end"],
  ["a /* b", "a quote or comment has no end"],
  ["a $t$ b", "it has a $ outside quotes; quote the name"],
  ["a$b$ c$b$", "it has a $ outside quotes; quote the name"],
  ["a ü", 'it has "ü" outside quotes; quote the name'],
  ["a\0", 'it has "\\u0000" outside quotes; quote the name'],
  ["a", undefined],
])("stops in %j because %s", (sql, flaw) => {
  expect(split(sql).flaw).toBe(flaw);
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
  expect(nameOf(text)).toBe(name);
});
