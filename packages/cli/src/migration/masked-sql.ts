/** Dialect whose strings a text has: Snowflake reads a backslash as an escape, and `//` as the start of a comment. */
export type Dialect = "snowflake" | "duckdb";

const name = '"(?:[^"]|"")*(?:"|$)';
const block = String.raw`/\*[\s\S]*?(?:\*/|$)`;
const dollarQuoted = String.raw`\$\$[\s\S]*?(?:\$\$|$)`;

const pieces: Readonly<Record<Dialect, RegExp>> = {
  snowflake: new RegExp(
    [String.raw`(?:--|//)[^\r\n]*`, block, String.raw`'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)`, dollarQuoted, name].join("|"),
    "g",
  ),
  duckdb: new RegExp([String.raw`--[^\r\n]*`, block, "'(?:[^']|'')*(?:'|$)", dollarQuoted, name].join("|"), "g"),
};

const isComment = (piece: string) => /^(?:--|\/[/*])/.test(piece);

/** Replaces comments by spaces of the same length. */
export function withoutComments(sql: string, dialect: Dialect): string {
  return sql.replace(pieces[dialect], (piece) => (isComment(piece) ? piece.replace(/[^\r\n]/g, " ") : piece));
}

/**
 * Replaces the characters in strings and quoted names by `_`, and comments by spaces. The length stays, so that the place of
 * a match is the same in the text.
 */
export function codeOf(sql: string, dialect: Dialect): string {
  return sql.replace(pieces[dialect], (piece) => {
    if (isComment(piece)) return piece.replace(/[^\r\n]/g, " ");
    const quote = piece.startsWith('"') ? '"' : "'";
    return quote + "_".repeat(Math.max(0, piece.length - 2)) + quote.repeat(Math.min(1, piece.length - 1));
  });
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", 0: "\0", "'": "''" };

/** Rewrites strings and comments of Snowflake as standard SQL has them, and parameters of dashboards such as `{{days}}` as `$days`. */
export function standardStrings(sql: string): string {
  const standard = sql.replace(pieces.snowflake, (piece) => {
    if (piece.startsWith("//")) return `--${piece.slice(2)}`;
    if (/^'\{\{\w+\}\}'$/.test(piece)) return `$${piece.slice(3, -3)}`;
    return piece.startsWith("'") ? piece.replace(/\\([\s\S])/g, (_, mark: string) => escapes[mark] ?? mark) : piece;
  });
  return standard.replace(/\{\{(\w+)\}\}/g, "$$$1");
}

/** Returns the place of the parenthesis or bracket that closes the one at a place of the code, or -1. */
export function closingAt(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    const mark = code[at] ?? "";
    if ("([{".includes(mark)) depth += 1;
    else if (")]}".includes(mark)) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** Splits a text at the commas that are not in parentheses. */
export function splitList(sql: string): readonly string[] {
  const code = codeOf(sql, "duckdb");
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < code.length; at += 1) {
    const mark = code[at] ?? "";
    if ("([{".includes(mark)) depth += 1;
    else if (")]}".includes(mark)) depth -= 1;
    else if (mark === "," && depth === 0) {
      parts.push(sql.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = sql.slice(start).trim();
  return last === "" && parts.length === 0 ? [] : [...parts, last];
}

/** Replacement of a part of the text: of the match, or up to another end. */
export interface Edit {
  readonly text: string;
  readonly end?: number;
}

/** Replaces matches of a pattern in the code, which has no strings and comments. Undefined keeps a match. */
export function replaceInCode(
  sql: string,
  pattern: RegExp,
  edit: (match: RegExpExecArray, code: string) => Edit | string | undefined,
): string {
  const code = codeOf(sql, "duckdb");
  const search = new RegExp(pattern, pattern.flags.includes("g") ? pattern.flags : `${pattern.flags}g`);
  let out = "";
  let done = 0;
  for (let match = search.exec(code); match !== null; match = search.exec(code)) {
    const edited = edit(match, code);
    if (edited === undefined) continue;
    const { text, end = search.lastIndex } = typeof edited === "string" ? { text: edited } : edited;
    out += sql.slice(done, match.index) + text;
    done = end;
    search.lastIndex = end;
  }
  return out + sql.slice(done);
}
