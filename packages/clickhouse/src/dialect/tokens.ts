/** White space, line comment, string, quoted name, here-document, word, number or single sign, as ClickHouse has them. */
const pieces =
  /[ \r\n\t\f\v]+|(?:--|\/\/|#[ !])[^\n]*|'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`\\]|\\[\s\S]|``)*`|\$(\w*)\$[\s\S]*?\$\1\$|[A-Za-z_]\w*|\d\w*|[\s\S]/y;

/** String, quoted name, word, number or sign of a statement. */
export interface Token {
  readonly text: string;
  readonly start: number;
  /** Offset of the first character after it. */
  readonly end: number;
}

/** Returns the tokens of a statement that are neither comments nor white space. */
export function tokensOf(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let start = 0; start < sql.length; ) {
    const comment = blockComment(sql, start);
    pieces.lastIndex = start;
    const text = comment ?? pieces.exec(sql)?.[0] ?? sql.charAt(start);
    const end = start + text.length;
    if (comment === undefined && !/^(?:[ \r\n\t\f\v]|--|\/\/|#[ !])/.test(text)) tokens.push({ text, start, end });
    start = end;
  }
  return tokens;
}

/** Returns the block comment at an offset; undefined if there is none, or it has no end. Block comments nest. */
function blockComment(sql: string, start: number): string | undefined {
  if (!sql.startsWith("/*", start)) return undefined;
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return sql.slice(start, marks.lastIndex);
  }
  return undefined;
}

/** Returns true if the token is one of these words or signs, in upper or lower case. */
export function isOneOf(token: Token | undefined, ...words: readonly string[]): boolean {
  return token !== undefined && words.includes(token.text.toUpperCase());
}

/** Returns the name that a token stands for, in lower case; undefined if it is no name. */
export function nameOf(token: Token | undefined): string | undefined {
  const text = token?.text ?? "";
  if (/^[A-Za-z_]/.test(text)) return text.toLowerCase();
  if (!/^(?:".*"|`.*`)$/s.test(text) || text.length < 2) return undefined;
  return text.slice(1, -1).toLowerCase();
}
