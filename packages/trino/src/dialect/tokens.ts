import { type Sliced, sliceSize } from "./slices.ts";

const lineEnd = /[\r\n]/g;
/** Forms of a number, and of a word that begins with a digit. Of those that match, the longest one counts. */
const numbers = [
  /\d\w*/y,
  /\d(?:_?\d)*\.(?:\d(?:_?\d)*)?/y,
  /\d+(?:\.\d*)?e[+-]?\d+/iy,
  /\.\d(?:_?\d)*/y,
  /\.\d+e[+-]?\d+/iy,
];

/** String, quoted name, word, number or sign of a statement. */
export interface Token {
  readonly text: string;
  /** Offset of the first character after it. */
  readonly end: number;
  /** Word or sign in upper case; empty for strings, quoted names and numbers. */
  readonly word: string;
}

/**
 * Returns the tokens of a statement that are neither comments nor white space, as Trino's grammar has them. Block comments
 * do not nest, and strings have no backslash escapes. Takes time in proportion to the length, also if quotes or
 * comments do not end.
 */
export function* tokensOf(sql: string): Sliced<readonly Token[]> {
  const tokens: Token[] = [];
  const lastCommentEnd = sql.lastIndexOf("*/");
  let sliceEnd = sliceSize;
  for (let at = 0, end = 0; at < sql.length; at = end) {
    if (at >= sliceEnd) {
      sliceEnd = at + sliceSize;
      yield;
    }
    const sign = sql.charAt(at);
    const next = sql.charAt(at + 1);
    const code = sql.charCodeAt(at);
    end = at + 1;
    if (sign === " " || sign === "\n" || sign === "\t" || sign === "\r") continue;
    if (sign === "-" && next === "-") end = endOfLine(sql, at);
    else if (sign === "/" && next === "*" && lastCommentEnd > end) end = sql.indexOf("*/", at + 2) + 2;
    else if (isParameterName(tokens.at(-1), at, code) || (isWordCode(code) && !isDigitCode(code))) {
      while (isWordCode(sql.charCodeAt(end))) end++;
      const text = sql.slice(at, end);
      tokens.push({ text, end, word: isDigitCode(code) ? "" : text.toUpperCase() });
    } else if (isDigitCode(code) || (sign === "." && isDigitCode(sql.charCodeAt(at + 1)))) {
      end = endOfNumber(sql, at);
      tokens.push({ text: sql.slice(at, end), end, word: "" });
    } else if (sign === "'" || sign === '"' || sign === "`" || (sign === "$" && next === "$")) {
      end = sign === "$" ? endOfDollars(sql, at) : endOfQuoted(sql, at, sign);
      tokens.push({ text: sql.slice(at, end), end, word: end === at + 1 ? sign : "" });
    } else tokens.push({ text: sign, end, word: sign });
  }
  return tokens;
}

/** Returns true for a character after `$`, which begins the name of a parameter. */
function isParameterName(before: Token | undefined, at: number, code: number): boolean {
  return before?.word === "$" && before.end === at && isWordCode(code);
}

/** Returns the end of a number. A word can follow it at once: `1.5FROM`. */
function endOfNumber(sql: string, at: number): number {
  let end = at + 1;
  for (const form of numbers) {
    form.lastIndex = at;
    if (form.test(sql)) end = Math.max(end, form.lastIndex);
  }
  return end;
}

function isDigitCode(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Returns true for the characters of `\w`. */
function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || isDigitCode(code);
}

function endOfLine(sql: string, at: number): number {
  lineEnd.lastIndex = at;
  return lineEnd.exec(sql)?.index ?? sql.length;
}

/** Returns the end of a string or quoted name, or of its quote alone if no other one ends it. */
function endOfQuoted(sql: string, at: number, quote: string): number {
  for (let from = at + 1; ; ) {
    const close = sql.indexOf(quote, from);
    if (close < 0) return at + 1;
    if (sql[close + 1] !== quote) return close + 1;
    from = close + 2;
  }
}

function endOfDollars(sql: string, at: number): number {
  const close = sql.indexOf("$$", at + 2);
  return close < 0 ? at + 1 : close + 2;
}

/** Returns true if the token is this unquoted word, which is in upper case, or this sign. */
export function is(token: Token | undefined, word: string): boolean {
  return token?.word === word;
}

/** Returns true for an unquoted word or a quoted name. */
export function isName(token: Token | undefined): boolean {
  if (token === undefined) return false;
  const { text, word } = token;
  return word === "" ? text.length > 2 && text.startsWith('"') : isWordCode(word.charCodeAt(0));
}

/** Returns the name that a token stands for, in lower case as Trino compares names; undefined if it is no name. */
export function nameOf(token: Token | undefined): string | undefined {
  if (token === undefined || !isName(token)) return undefined;
  const { text, word } = token;
  return (word === "" ? text.slice(1, -1).replaceAll('""', '"') : text).toLowerCase();
}
