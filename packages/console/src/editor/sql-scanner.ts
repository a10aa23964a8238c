/** Part of an SQL text. Spaces and operators are `other`. */
export interface SqlToken {
  readonly kind: "other" | "comment" | "string" | "quoted" | "word" | "parameter" | "mark" | "semicolon";
  readonly from: number;
  readonly to: number;
}

/** In this order: a prefix of a string is not a word, and the tag of a dollar-quoted string is not a parameter. */
const TOKENS: readonly (readonly [SqlToken["kind"], string])[] = [
  ["comment", String.raw`--[^\n]*|/\*[\s\S]*?(?:\*/|$)`],
  [
    "string",
    String.raw`[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|\$(?<tag>(?:[A-Za-z_]\w*)?)\$[\s\S]*?(?:\$\k<tag>\$|$)`,
  ],
  ["quoted", `"(?:[^"]|"")*(?:"|$)`],
  ["parameter", String.raw`\$(?:[A-Za-z_]\w*|[1-9]\d{0,4})`],
  ["mark", String.raw`\?`],
  ["word", String.raw`[\p{L}_][\p{L}\p{N}_$]*`],
  ["semicolon", ";"],
  ["other", String.raw`\s+|[\s\S]`],
];

/** Splits an SQL text into tokens that cover it without a gap. A string or comment that is not closed ends with the text. */
export function* tokensOf(sql: string): Generator<SqlToken> {
  const pattern = new RegExp(TOKENS.map(([kind, source]) => `(?<${kind}>${source})`).join("|"), "uy");
  for (let match = pattern.exec(sql); match !== null; match = pattern.exec(sql)) {
    const { groups = {}, index } = match;
    const kind = TOKENS.find(([name]) => groups[name] !== undefined)?.[0] ?? "other";
    yield { kind, from: index, to: pattern.lastIndex };
    if (pattern.lastIndex >= sql.length) return;
  }
}
