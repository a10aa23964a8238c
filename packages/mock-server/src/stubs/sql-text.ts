const pieces = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\r\n]*|\/\*[\s\S]*?\*\/|\s+|[^'"\s/-]+|./g;

/** Pieces of the text outside of quotes and comments, each with what is inside them as it stands. */
export function* tokens(sql: string): Iterable<{ readonly text: string; readonly quoted: boolean }> {
  for (const [text] of sql.matchAll(pieces)) {
    if (text.startsWith("--") || text.startsWith("/*")) yield { text: " ", quoted: false };
    else yield { text, quoted: /^['"]/.test(text) && text.length > 1 };
  }
}

/** The same text for statements that differ only in white space, comments, letter case and a last semicolon. */
export function normalizedStatement(sql: string): string {
  let text = "";
  for (const token of tokens(sql)) {
    const space = token.text.trim() === "";
    if (!space) text += token.quoted ? token.text : token.text.toLowerCase();
    else if (text !== "" && !text.endsWith(" ")) text += " ";
  }
  return text.replace(/[ ;]+$/, "");
}

/** Names of the parameters in their order: `$name` and `$1` once each, every `?` by its number. */
export function parameterNames(sql: string): string[] {
  let outside = "";
  for (const token of tokens(sql)) outside += token.quoted ? " " : token.text;
  const names = new Set<string>();
  let position = 0;
  for (const [, name] of outside.matchAll(/\?|\$(\w+)/g)) names.add(name ?? String(++position));
  return [...names];
}
