/** Token of a statement. */
interface Token {
  readonly text: string;
  /** True for a quoted string or name, which is compared exactly. */
  readonly quoted: boolean;
}

/** `'text'`, `E'te\'xt'`, `$$text$$`, `$tag$text$tag$` and `"name"`. */
const quotes =
  /[eE]'(?:[^'\\]|\\[\s\S]|'')*'|(?:[bBnNxX]|[uU]&)?'(?:[^']|'')*'|\$((?:[\p{L}_][\p{L}\p{N}_]*)?)\$[\s\S]*?\$\1\$|(?:[uU]&)?"(?:[^"]|"")*"/uy;

/** Names, numbers, parameters, and the operators of more than one character. */
const words =
  /[\p{L}_][\p{L}\p{N}_$]*|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\w*|\$\w+|->>|::|<=|>=|<>|!=|==|\|\||->|=>|:=|!~~\*?|~~\*?|@>|<@|&&|\*\*|\/\/|<<|>>|[\s\S]/uy;

const blanks = /\s+|--[^\r\n]*/y;

/** Splits a statement into tokens. White space and comments become blank tokens. */
export function* tokens(sql: string): Iterable<Token> {
  for (let at = 0; at < sql.length; ) {
    const end = commentEnd(sql, at) ?? endOf(blanks, sql, at);
    const quoteEnd = end === undefined ? endOf(quotes, sql, at) : undefined;
    const next = end ?? quoteEnd ?? endOf(words, sql, at) ?? sql.length;
    yield { text: end === undefined ? sql.slice(at, next) : " ", quoted: quoteEnd !== undefined };
    at = next;
  }
}

function endOf(pattern: RegExp, sql: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex : undefined;
}

/**
 * Returns the end of the block comment at an offset; such comments nest. Undefined if none begins there, or if it has
 * no end.
 */
function commentEnd(sql: string, at: number): number | undefined {
  if (!sql.startsWith("/*", at)) return undefined;
  const marks = /\/\*|\*\//g;
  marks.lastIndex = at;
  let depth = 0;
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return undefined;
}

/**
 * Returns the tokens by which statements are compared: in lower case unless they are quoted, without blanks and
 * trailing semicolons.
 */
export function statementWords(sql: string): readonly string[] {
  const compared: string[] = [];
  for (const { text, quoted } of tokens(sql)) if (text !== " ") compared.push(quoted ? text : text.toLowerCase());
  while (compared.at(-1) === ";") compared.pop();
  return compared;
}

/**
 * Returns a text that is equal for statements that differ only in white space, comments, trailing semicolons, and
 * letter case outside of quotes.
 */
export function normalizedStatement(sql: string): string {
  return statementWords(sql).join(" ");
}

/** Returns the names of the parameters in order: `$name` and `$1` once each, each `?` by its number. */
export function parameterNames(sql: string): string[] {
  let outside = "";
  for (const token of tokens(sql)) outside += token.quoted ? " " : token.text;
  const names = new Set<string>();
  let position = 0;
  for (const [, name] of outside.matchAll(/\?|\$(\w+)/g)) names.add(name ?? String(++position));
  return [...names];
}
