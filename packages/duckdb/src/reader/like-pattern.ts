/**
 * Returns the regular expression of a `LIKE` pattern that the engine would match by trying one position after the other
 * for each `%`, so that a text can take minutes. Undefined if the engine matches the pattern in linear time: if it lacks
 * `%` or `_`. The engine matches regular expressions with RE2, which never backtracks; pass it the option `s`.
 */
export function backtrackingPattern(pattern: string): string | undefined {
  if (!pattern.includes("%") || !pattern.includes("_")) return undefined;
  // The engine replaces unpaired surrogates in the text of a parameter.
  return Array.from(pattern.replaceAll(/\p{Cs}/gu, "\uFFFD"), expressionOf).join("");
}

function expressionOf(character: string): string {
  if (character === "%") return ".*";
  if (character === "_") return ".";
  return `\\x{${character.codePointAt(0)?.toString(16)}}`;
}
