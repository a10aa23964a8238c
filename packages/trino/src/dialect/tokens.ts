/** Work in steps of a few milliseconds. It yields between them, and returns its value after the last one. */
export type Sliced<T> = Generator<undefined, T>;

/** Characters, tokens or values of one step. */
export const sliceSize = 1_024;

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

/** Tokens of a statement. */
export interface Tokens {
  readonly length: number;
  /** Returns a token; undefined before the first and after the last one. */
  at(index: number): Token | undefined;
}

/**
 * Returns the tokens of a statement that are neither comments nor white space, as Trino's grammar has them. Block comments
 * do not nest, and strings have no backslash escapes. Takes time in proportion to the length, also if quotes or
 * comments do not end.
 */
export function* tokensOf(sql: string): Sliced<Tokens> {
  // Two numbers for each token: objects would take 25 MB for a statement of the largest length.
  const starts: number[] = [];
  const ends: number[] = [];
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
    if (sign === "-" && next === "-") {
      end = endOfLine(sql, at);
      continue;
    }
    if (sign === "/" && next === "*" && lastCommentEnd > end) {
      end = sql.indexOf("*/", at + 2) + 2;
      continue;
    }
    const isParameterName = isWordCode(code) && sql.charAt(at - 1) === "$" && starts.at(-1) === at - 1;
    if (isParameterName || (isWordCode(code) && !isDigitCode(code))) {
      while (isWordCode(sql.charCodeAt(end))) end++;
    } else if (isDigitCode(code) || (sign === "." && isDigitCode(sql.charCodeAt(at + 1)))) end = endOfNumber(sql, at);
    else if (sign === "$" && next === "$") end = endOfDollars(sql, at);
    else if (sign === "'" || sign === '"' || sign === "`") end = endOfQuoted(sql, at, sign);
    starts.push(at);
    ends.push(end);
  }
  function at(index: number): Token | undefined {
    const end = ends[index];
    if (end === undefined) return undefined;
    const text = sql.slice(starts[index], end);
    return { text, end, word: wordOf(text) };
  }
  return { length: starts.length, at };
}

/** Returns a word or sign in upper case; an empty text for a string, quoted name or number. */
function wordOf(text: string): string {
  const code = text.charCodeAt(0);
  if (isWordCode(code)) return isDigitCode(code) ? "" : text.toUpperCase();
  return text.length === 1 ? text : "";
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
