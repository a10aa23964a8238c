/**
 * Token of a statement: a name (unquoted names in lower case, quoted ones as they are), a parameter such as `$1` or
 * `$name`, a literal, or another character.
 */
export interface Token {
  readonly kind: "name" | "quotedName" | "parameter" | "literal" | "sign";
  /** Text of a name, parameter or sign; empty for a literal. */
  readonly text: string;
  /** Offset in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/** Classes of characters, by their code. All others are part of a name if they are not ASCII. */
const [space, digit, letter, operator] = [1, 2, 4, 8];
const classes = new Uint8Array(128);
for (const [name, characters] of [
  [space, " \t\n\r\f\v"],
  [digit, "0123456789"],
  [letter, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"],
  [operator, "~!@#^&|`?+-*/%<>="],
] as const)
  for (const character of characters) classes[character.charCodeAt(0)] = name;

const [dollar, dot, underscore] = [36, 46, 95];

/** Largest number of operators and comments without anything else between them. */
const maxRun = 200;

/** Characters that are read before the event loop handles other events: about a millisecond. */
const sliceSize = 4_096;

/** Text that the lexer refuses, such as a string without its end. */
export class LexicalError extends Error {}

/**
 * Splits a statement into tokens, as PostgreSQL does with `standard_conforming_strings`. Comments and white space are
 * omitted. The time is proportional to the length of the text. Yields between slices of it.
 * @throws {LexicalError} if a string, quoted name or comment has no end, for forms of PostgreSQL that are not supported:
 *   `U&` before a string or name, and a string that continues `E'…'`, and for a text that takes PostgreSQL long to split
 */
export function* scan(sql: string, visit: (token: Token) => void): Generator<undefined, void> {
  let at = 0;
  let run = 0;
  let isAfterEscaped = false;

  /** Returns the class of a character: 0 for a sign of its own, and after the end. */
  function classAt(offset: number): number {
    const code = sql.charCodeAt(offset);
    return code < 128 ? (classes[code] ?? 0) : code >= 128 ? letter : 0;
  }
  /** Returns the offset after the characters of some classes, or with the code `also`. */
  function endOf(from: number, accepted: number, also = -1): number {
    let end = from;
    while ((classAt(end) & accepted) !== 0 || sql.charCodeAt(end) === also) end += 1;
    return end;
  }
  function push(kind: Token["kind"], end: number, text = ""): void {
    visit({ kind, text, start: at, end });
    isAfterEscaped = false;
    at = end;
  }
  /** PostgreSQL reads the rest of a run of such characters again for each operator and comment that begins in it. */
  function countInRun(): void {
    run = classAt(at - 1) === operator ? run + 1 : 0;
    if (run > maxRun)
      throw new LexicalError(`more than ${maxRun} operators or comments follow each other without a space; add spaces`);
  }
  function skipLine(): void {
    while (at < sql.length && sql[at] !== "\n" && sql[at] !== "\r") at += 1;
  }
  /** Skips a comment, in which others may be nested. */
  function skipComment(): void {
    let depth = 0;
    do {
      if (sql.startsWith("/*", at)) {
        countInRun();
        depth += 1;
      } else if (sql.startsWith("*/", at)) depth -= 1;
      else {
        at += 1;
        if (at >= sql.length) throw new LexicalError("a comment has no end");
        continue;
      }
      at += 2;
    } while (depth > 0);
  }
  /** Returns the offset after a text in quotes, which may have its quotes doubled. */
  function endOfQuoted(quote: string, from: number, what: string): number {
    for (let end = sql.indexOf(quote, from + 1); end >= 0; end = sql.indexOf(quote, end + 2))
      if (sql[end + 1] !== quote) return end + 1;
    throw new LexicalError(`a ${what} has no end`);
  }
  function endOfEscaped(from: number): number {
    for (let end = from + 1; end < sql.length; end += 1) {
      if (sql[end] === "\\" || (sql[end] === "'" && sql[end + 1] === "'")) end += 1;
      else if (sql[end] === "'") return end + 1;
    }
    throw new LexicalError("a string has no end");
  }
  function pushName(written: string): void {
    const next = at + written.length;
    const name = written.toLowerCase();
    if (name === "u" && sql[next] === "&" && /['"]/.test(sql[next + 1] ?? ""))
      throw new LexicalError("Unicode escapes (U&) are not supported; write the characters");
    if (sql[next] === "'" && name === "e") {
      push("literal", endOfEscaped(next));
      isAfterEscaped = true;
    } else if (sql[next] === "'" && /^[bxn]$/.test(name)) push("literal", endOfQuoted("'", next, "string"));
    else push("name", next, name);
  }
  function pushString(): void {
    // The string would continue an escaped one, with its escapes.
    if (isAfterEscaped) throw new LexicalError("a string continues E'…'; write one string");
    push("literal", endOfQuoted("'", at, "string"));
  }
  function pushDollar(): void {
    const isTagged = (classAt(at + 1) & digit) === 0;
    const name = endOf(at + 1, letter | digit);
    if (isTagged && sql[name] === "$") {
      const tag = sql.slice(at, name + 1);
      const end = sql.indexOf(tag, name + 1);
      if (end < 0) throw new LexicalError("a dollar-quoted string has no end");
      push("literal", end + tag.length);
      return;
    }
    const end = isTagged ? endOfAscii(at + 1) : endOf(at + 1, digit);
    if (end === at + 1) push("sign", end, "$");
    else push("parameter", end, sql.slice(at, end));
  }
  /** Returns the offset after letters and digits of ASCII. */
  function endOfAscii(from: number): number {
    let end = from;
    while (sql.charCodeAt(end) < 128 && (classAt(end) & (letter | digit)) !== 0) end += 1;
    return end;
  }
  function endOfNumber(): number {
    let end = endOf(at, digit, underscore);
    if (sql.charCodeAt(end) === dot) end = endOf(end + 1, digit, underscore);
    if (!/[eE]/.test(sql[end] ?? "")) return end;
    const exponent = end + (/[+-]/.test(sql[end + 1] ?? "") ? 2 : 1);
    return classAt(exponent) === digit ? endOf(exponent, digit) : end;
  }

  for (let sliceEnd = sliceSize; at < sql.length; ) {
    if (at >= sliceEnd) {
      sliceEnd = at + sliceSize;
      yield;
    }
    const sign = sql[at] ?? "";
    const kind = classAt(at);
    if (kind === letter) pushName(sql.slice(at, endOf(at + 1, letter | digit, dollar)));
    else if (kind === space) at += 1;
    else if (kind === digit || (sign === "." && classAt(at + 1) === digit)) push("literal", endOfNumber());
    else if (kind === operator && sql.startsWith("--", at)) {
      countInRun();
      skipLine();
    } else if (kind === operator && sql.startsWith("/*", at)) skipComment();
    else if (kind === operator) {
      countInRun();
      push("sign", at + 1, sign);
    } else if (sign === "'") pushString();
    else if (sign === '"') {
      const end = endOfQuoted('"', at, "quoted name");
      push("quotedName", end, sql.slice(at + 1, end - 1).replaceAll('""', '"'));
    } else if (sign === "$") pushDollar();
    else push("sign", at + 1, sign);
  }
}
