/** Part of a pattern of `like` and `ilike`: `any` stands for `%`, `one` for `_`, and a text for one character. */
export type LikePart = "any" | "one" | { readonly character: string };

/** Returns the parts of a pattern. A backslash before `%`, `_` or another backslash makes it a character. */
export function likeParts(pattern: string): readonly LikePart[] {
  return Array.from(pattern.matchAll(/\\([%_\\])|./gsu), ([text, escaped]): LikePart => {
    if (escaped === undefined && text === "%") return "any";
    if (escaped === undefined && text === "_") return "one";
    return { character: escaped ?? text };
  });
}
