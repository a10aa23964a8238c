import { likeParts } from "@quern/query-run/like-pattern";

/**
 * Returns the regular expression of a pattern that the engine's `LIKE` does not match, or would match by trying one
 * position after the other for each `%`, so that a text can take minutes. Undefined if the pattern has no backslash and
 * the engine matches it in linear time: if it lacks `%` or `_`. The engine matches regular expressions with RE2, which
 * never backtracks; pass it the option `s`.
 */
export function likeExpression(pattern: string): string | undefined {
  const isLinear = !pattern.includes("%") || !pattern.includes("_");
  return isLinear && !pattern.includes("\\") ? undefined : expressionOf(pattern);
}

/** Returns the regular expression of a pattern. */
export function expressionOf(pattern: string): string {
  // The engine replaces unpaired surrogates in the text of a parameter.
  const parts = likeParts(pattern.replaceAll(/\p{Cs}/gu, "\uFFFD"));
  return parts
    .map((part) => {
      if (part === "any") return ".*";
      return part === "one" ? "." : `\\x{${part.character.codePointAt(0)?.toString(16)}}`;
    })
    .join("");
}
