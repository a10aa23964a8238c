import { expect, it } from "vitest";
import { allSlices } from "../../../adapter/test/all-slices.ts";
import { is, nameOf, tokensOf as slicedTokensOf, type Token } from "../../src/dialect/tokens.ts";

function tokensOf(sql: string): readonly (Token | undefined)[] {
  const tokens = allSlices(slicedTokensOf(sql));
  return Array.from({ length: tokens.length }, (_, index) => tokens.at(index));
}

const texts = (sql: string) => tokensOf(sql).map((token) => token?.text);

const quoted = ["'", '"', "`"].flatMap((quote) =>
  [`${quote}${quote}`, "\\", "\n", ";", "--", "/*", "*/", "$$"].map((inner) => `${quote}a${inner}b;${quote}`),
);

it.each(quoted)("takes %j as one token", (text) => {
  expect(texts(`a${text} ;`)).toEqual(["a", text, ";"]);
});

it.each([
  ["a \t\r\nb", ["a", "b"]],
  ["a -- b\nc", ["a", "c"]],
  ["a -- b\rc", ["a", "c"]],
  ["a--b", ["a"]],
  ["a - b / c * d", ["a", "-", "b", "/", "c", "*", "d"]],
  ["a /* b\n; */ c", ["a", "c"]],
  ["a /* b /* c */ d */ e", ["a", "d", "*", "/", "e"]],
  ["a/**/b", ["a", "b"]],
  ["a /* b", ["a", "/", "*", "b"]],
  ["'a\\' b", ["'a\\'", "b"]],
  ["$$ a ;\n$$ b $$c$$", ["$$ a ;\n$$", "b", "$$c$$"]],
  ["$$ a", ["$", "$", "a"]],
  ["_a1 1b 2", ["_a1", "1b", "2"]],
  ["1.5FROM .5FROM 1.FROM", ["1.5", "FROM", ".5", "FROM", "1.", "FROM"]],
  ["1e5FROM 1.5e+3FROM .5E-3FROM 1.5eFROM", ["1e5FROM", "1.5e+3", "FROM", ".5E-3", "FROM", "1.5", "eFROM"]],
  ["1_0.5_0_ 0x1F a.5b a.b.5", ["1_0.5_0", "_", "0x1F", "a", ".5", "b", "a", ".", "b", ".5"]],
  ["$1.5 $1FROM $a.b $ 1.5", ["$", "1", ".5", "$", "1FROM", "$", "a", ".", "b", "$", "1.5"]],
  ["a.b", ["a", ".", "b"]],
  ["'a", ["'", "a"]],
  ["ü é", ["ü", "é"]],
  ["", []],
])("splits %j", (sql, expected) => {
  expect(texts(sql)).toEqual(expected);
});

it("has the end of each token", () => {
  expect(tokensOf("ab  'c' ;")).toEqual([
    { text: "ab", end: 2, word: "AB" },
    { text: "'c'", end: 7, word: "" },
    { text: ";", end: 9, word: ";" },
  ]);
});

it.each([
  ["Select", "select"],
  ["_A", "_a"],
  ['"A b"', "a b"],
  ['"A""b""c"', 'a"b"c'],
  ['"A\nb"', "a\nb"],
  ['""', undefined],
  ["`a`", undefined],
  ["'a'", undefined],
  ["1a", undefined],
  [";", undefined],
])("the name of %s is %s", (text, name) => {
  expect(nameOf(tokensOf(text)[0])).toBe(name);
});

it("compares words without case, and no quoted name", () => {
  expect(is(tokensOf("select")[0], "SELECT")).toBe(true);
  expect(is(tokensOf('"SELECT"')[0], "SELECT")).toBe(false);
  expect([is(undefined, "SELECT"), nameOf(undefined)]).toEqual([false, undefined]);
});
