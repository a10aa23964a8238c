/**
 * Token of a statement: a name (unquoted names in lower case, quoted ones as they are), a parameter such as `$1` or
 * `$name`, a literal, or another character.
 */
export interface Token {
  readonly kind: "name" | "quotedName" | "parameter" | "literal" | "sign";
  readonly text: string;
  /** Offset in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

const nameForm = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const numberForm = /(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y;
const tagForm = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const parameterForm = /\$(?:\d+|[A-Za-z_][\w]*)/y;
const lineComment = /--[^\r\n]*/y;
const plainString = /'(?:[^']|'')*'/y;
const escapedString = /'(?:[^'\\]|''|\\[\s\S])*'/y;
const quotedForm = /"(?:[^"]|"")*"/y;

/** Text that the lexer refuses, such as a string without its end. */
export class LexicalError extends Error {}

/**
 * Splits a statement into tokens, as PostgreSQL does with `standard_conforming_strings`. Comments and white space are
 * omitted.
 * @throws {LexicalError} if a string, quoted name or comment has no end, and for forms of PostgreSQL that are not
 *   supported: `U&` before a string or name, and a string that continues `E'…'`
 */
export function tokensOf(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;

  function match(form: RegExp, from = at): string | undefined {
    form.lastIndex = from;
    return form.exec(sql)?.[0];
  }
  function push(kind: Token["kind"], length: number, text = sql.slice(at, at + length)): void {
    tokens.push({ kind, text, start: at, end: at + length });
    at += length;
  }
  /** Skips a comment, in which others may be nested. */
  function skipComment(): void {
    let depth = 0;
    do {
      if (sql.startsWith("/*", at)) depth += 1;
      else if (sql.startsWith("*/", at)) depth -= 1;
      else {
        at += 1;
        if (at >= sql.length) throw new LexicalError("a comment has no end");
        continue;
      }
      at += 2;
    } while (depth > 0);
  }
  function stringLength(form: RegExp, from: number): number {
    const text = match(form, from);
    if (text === undefined) throw new LexicalError("a string has no end");
    return from - at + text.length;
  }
  function pushString(): void {
    // The string would continue an escaped one, with its escapes.
    if (/^e'/i.test(tokens.at(-1)?.text ?? "")) throw new LexicalError("a string continues E'…'; write one string");
    push("literal", stringLength(plainString, at));
  }
  function pushName(name: string): void {
    const next = sql[at + name.length];
    const isUnicode = /^u$/i.test(name) && /^&['"]/.test(sql.slice(at + 1, at + 3));
    if (isUnicode) throw new LexicalError("Unicode escapes (U&) are not supported; write the characters");
    if (next === "'" && /^e$/i.test(name)) push("literal", stringLength(escapedString, at + 1));
    else if (next === "'" && /^[bxn]$/i.test(name)) push("literal", stringLength(plainString, at + 1));
    else push("name", name.length, name.toLowerCase());
  }
  function pushDollar(): void {
    const tag = match(tagForm);
    if (tag === undefined) {
      push("parameter", match(parameterForm)?.length ?? 1);
      return;
    }
    const end = sql.indexOf(tag, at + tag.length);
    if (end < 0) throw new LexicalError("a dollar-quoted string has no end");
    push("literal", end + tag.length - at);
  }

  while (at < sql.length) {
    const sign = sql[at] ?? "";
    const name = match(nameForm);
    const number = match(numberForm);
    if (/[ \t\n\r\f\v]/.test(sign)) at += 1;
    else if (sql.startsWith("--", at)) at += match(lineComment)?.length ?? 0;
    else if (sql.startsWith("/*", at)) skipComment();
    else if (name !== undefined) pushName(name);
    else if (number !== undefined) push("literal", number.length);
    else if (sign === "'") pushString();
    else if (sign === '"') {
      const quoted = match(quotedForm);
      if (quoted === undefined) throw new LexicalError("a quoted name has no end");
      push("quotedName", quoted.length, quoted.slice(1, -1).replaceAll('""', '"'));
    } else if (sign === "$") pushDollar();
    else push("sign", 1);
  }
  return tokens;
}
