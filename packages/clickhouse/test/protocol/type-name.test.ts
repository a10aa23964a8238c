import { expect, it } from "vitest";
import { parseMember, parseTypeName } from "../../src/protocol/type-name.ts";

const quotes = ["'", '"', "`"];
/** Characters after a backslash, and a doubled quote. */
const escapes = (quote: string) => ["\\ ", "\\\n", "\\x", "\\\\", `\\${quote}`, `${quote}${quote}`];
const quoted = quotes.flatMap((quote) => escapes(quote).map((inner) => `${quote}a),(${inner}),(b${quote}`));

it.each(quoted)("keeps the commas and parentheses in %j", (text) => {
  expect(parseTypeName(`Map(${text}, (UInt8, ${text}))`)).toEqual({
    base: "Map",
    arguments: [text, `(UInt8, ${text})`],
  });
});

it.each(quotes)("takes the quote %s without an end as a sign", (quote) => {
  expect(parseTypeName(`A(${quote}b, c)`)).toEqual({ base: "A", arguments: [`${quote}b`, "c"] });
});

it.each([
  ["UInt8", "UInt8", []],
  [" UInt8 ", "UInt8", []],
  ["Tuple()", "Tuple", []],
  ["Tuple( )", "Tuple", []],
  ["Decimal( 38 , 2 )", "Decimal", ["38", "2"]],
  ["Array(Array(Tuple(A, B)))", "Array", ["Array(Tuple(A, B))"]],
  ["Tuple(A, B(C, D), E)", "Tuple", ["A", "B(C, D)", "E"]],
])("splits %j at its outermost commas", (text, base, args) => {
  expect(parseTypeName(text)).toEqual({ base, arguments: args });
});

it.each([
  ["UInt8", undefined, "UInt8"],
  ["a UInt8", "a", "UInt8"],
  ["_a1  Map(A, B)", "_a1", "Map(A, B)"],
  ["a A\nB", "a", "A\nB"],
  ["1a UInt8", undefined, "1a UInt8"],
  ["`a b` UInt8", "a b", "UInt8"],
  ["`a``b` UInt8", "a`b", "UInt8"],
  ["`a\\`b\\\\c\\ d\\\ne` UInt8", "a`b\\c d\ne", "UInt8"],
  ["`a`UInt8", undefined, "`a`UInt8"],
  ["`` UInt8", "", "UInt8"],
])("reads the name and the type of the member %j", (text, name, type) => {
  expect(parseMember(text)).toEqual({ name, type });
});
