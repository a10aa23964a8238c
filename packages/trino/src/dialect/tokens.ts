/**
 * White space, comment, string, quoted name, word, number or single sign, as Trino's grammar has them. Block comments do
 * not nest, and strings have no backslash escapes.
 */
const pieces =
  /[ \r\n\t]+|--[^\r\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$\$[\s\S]*?\$\$|"(?:[^"]|"")*"|`(?:[^`]|``)*`|[A-Za-z_]\w*|\d\w*|[\s\S]/y;

/** String, quoted name, word, number or sign of a statement. */
export interface Token {
  readonly text: string;
  /** Offset of the first character after it. */
  readonly end: number;
}

/** Returns the tokens of a statement that are neither comments nor white space. */
export function tokensOf(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let end = 0; end < sql.length; ) {
    pieces.lastIndex = end;
    const text = pieces.exec(sql)?.[0] ?? sql.charAt(end);
    end += text.length;
    if (!/^(?:[ \r\n\t]|--|\/\*)/.test(text)) tokens.push({ text, end });
  }
  return tokens;
}

/** Returns true if the token is one of these words or signs, in upper or lower case. */
export function isOneOf(token: Token | undefined, ...words: readonly string[]): boolean {
  return token !== undefined && words.includes(token.text.toUpperCase());
}

/** Returns the name that a token stands for, in lower case as Trino compares names; undefined if it is no name. */
export function nameOf(token: Token | undefined): string | undefined {
  const text = token?.text ?? "";
  if (/^[A-Za-z_]/.test(text)) return text.toLowerCase();
  return /^".+"$/s.test(text) ? text.slice(1, -1).replaceAll('""', '"').toLowerCase() : undefined;
}
