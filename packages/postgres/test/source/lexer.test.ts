import { expect, it } from "vitest";
import { allSlices } from "../../../adapter/test/all-slices.ts";
import { LexicalError, scan, type Token } from "../../src/source/lexer.ts";

const short = { name: "n", quotedName: "q", parameter: "p", literal: "l", sign: "s" } as const;
const kinds = (sql: string): string[] =>
  tokensOf(sql).map(
    ({ kind, text, start, end }) => `${short[kind]}:${kind === "literal" ? sql.slice(start, end) : text}`,
  );

function tokensOf(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  allSlices(scan(sql, (token) => tokens.push(token)));
  return tokens;
}

it.each([
  ["SELECT a_1$b", ["n:select", "n:a_1$b"]],
  ["É1", ["n:é1"]],
  ["1 1.5 .5 1e5 1.e-5 1_000 2E+3x", ["l:1", "l:1.5", "l:.5", "l:1e5", "l:1.e-5", "l:1_000", "l:2E+3", "n:x"]],
  ["1..2", ["l:1.", "l:.2"]],
  ["a.b", ["n:a", "s:.", "n:b"]],
  ["$1 $ab $a$x$a$ $$y$$ $", ["p:$1", "p:$ab", "l:$a$x$a$", "l:$$y$$", "s:$"]],
  ["$12a", ["p:$12", "n:a"]],
  ["'it''s' 'a\\'", ["l:'it''s'", "l:'a\\'"]],
  ["E'it\\'s' e'a''b' e'\\\\'", ["l:E'it\\'s'", "l:e'a''b'", "l:e'\\\\'"]],
  ["B'1' x'f' N'a\\'", ["l:B'1'", "l:x'f'", "l:N'a\\'"]],
  ["ee 'a' xb'a'", ["n:ee", "l:'a'", "n:xb", "l:'a'"]],
  ['"A""b""" "c"', ['q:A"b"', "q:c"]],
  ["a -- b\nc --d\re --", ["n:a", "n:c", "n:e"]],
  ["a /* b /* c */ d */ e /**/ f", ["n:a", "n:e", "n:f"]],
  ["a\tb\fc\vd\re", ["n:a", "n:b", "n:c", "n:d", "n:e"]],
  ["a-b/c*d", ["n:a", "s:-", "n:b", "s:/", "n:c", "s:*", "n:d"]],
  ["u & 'a'", ["n:u", "s:&", "l:'a'"]],
  ["uu&'a'", ["n:uu", "s:&", "l:'a'"]],
  ["$é $éa$b$éa$ $1$a$b$a$", ["s:$", "n:é", "l:$éa$b$éa$", "p:$1", "l:$a$b$a$"]],
  [`${"-+".repeat(99)}--+\n+`, [..."-+".repeat(99)].map((sign) => `s:${sign}`).concat("s:+")],
  ["", []],
])("splits %j", (sql, tokens) => expect(kinds(sql)).toEqual(tokens));

it("reports the offsets of each token", () => {
  expect(tokensOf(" ab, 'c'").map(({ start, end }) => [start, end])).toEqual([
    [1, 3],
    [3, 4],
    [5, 8],
  ]);
});

const crowded = "more than 200 operators or comments follow each other without a space; add spaces";

it.each([
  ["'a", "a string has no end"],
  ["e'a\\'", "a string has no end"],
  ['"a', "a quoted name has no end"],
  ["/* a", "a comment has no end"],
  ["/* a /* b */", "a comment has no end"],
  ["$a$ x $$", "a dollar-quoted string has no end"],
  ["U&'a'", "Unicode escapes (U&) are not supported; write the characters"],
  ['u&"a"', "Unicode escapes (U&) are not supported; write the characters"],
  ["+".repeat(202), crowded],
  ["/*".repeat(202), crowded],
  ["/**/".repeat(202), crowded],
  ["/* a */+".repeat(202), crowded],
  ["E'a'\n'b'", "a string continues E'…'; write one string"],
])("refuses %j", (sql, message) => expect(() => tokensOf(sql)).toThrow(new LexicalError(message)));
