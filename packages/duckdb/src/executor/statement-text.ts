/**
 * White space, line comment, start of a block comment, string, dollar-quoted string, quoted name, word, number or single
 * sign at `lastIndex`.
 */
const pieces =
  /\s+|--[^\r\n]*|\/\*|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$((?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?)\$[\s\S]*?\$\1\$|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d+|[\s\S]/y;

/** String, quoted name, word, number or sign of a statement. */
interface Piece {
  readonly text: string;
  /** Offset of the first character after it. */
  readonly end: number;
}

/** Yields the pieces of a statement that are neither comments nor white space. */
export function* significantPieces(sql: string): Generator<Piece, void> {
  let end = 0;
  while (end < sql.length) {
    const text = pieceAt(sql, end);
    end += text.length;
    if (!text.startsWith("--") && !text.startsWith("/*") && text.trim() !== "") yield { text, end };
  }
}

/**
 * Removes the semicolons, comments and white space after a statement, so that it can stand in parentheses. The text
 * before them is unchanged, so positions in it stay valid.
 */
export function bareStatement(sql: string): string {
  let last = 0;
  for (const { text, end } of significantPieces(sql)) if (text !== ";") last = end;
  return sql.slice(0, last);
}

function pieceAt(sql: string, index: number): string {
  // Only E'…' strings have backslash escapes.
  if (/[eE]/.test(sql.charAt(index)) && sql.charAt(index + 1) === "'") {
    const escaped = /[eE]'(?:[^'\\]|''|\\[\s\S])*'/y;
    escaped.lastIndex = index;
    const match = escaped.exec(sql);
    if (match !== null) return match[0];
  }
  pieces.lastIndex = index;
  const piece = pieces.exec(sql)?.[0] ?? sql.charAt(index);
  return piece === "/*" ? sql.slice(index, commentEnd(sql, index)) : piece;
}

/** Returns the end of a block comment. Block comments nest, which a regular expression cannot match. */
function commentEnd(sql: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return sql.length;
}

/** Parts of an EXPLAIN. */
export interface ExplainParts {
  /** Text of the caller before the explained statement. */
  readonly head: string;
  /** `EXPLAIN` and its options on one line, such as `EXPLAIN (ANALYZE, FORMAT json)`. */
  readonly options: string;
  /** Explained statement, and all text after it. */
  readonly inner: string;
}

/** Splits `EXPLAIN` and its options from the statement that it explains. Returns undefined for other statements. */
export function splitExplain(sql: string): ExplainParts | undefined {
  const explain = firstPiece(sql);
  if (explain === undefined || !isWord(explain.text, "explain")) return undefined;
  const pieces = [...significantPieces(sql)].filter(({ end }) => end > explain.end);
  const [next, option] = pieces;
  const split = (at: number, options: string): ExplainParts => ({
    head: sql.slice(0, at),
    options,
    inner: sql.slice(at),
  });
  if (isWord(next?.text, "analyze", "analyse")) return split(next?.end ?? 0, "EXPLAIN ANALYZE");
  if (next?.text === "(" && isWord(option?.text, "analyze", "analyse", "format")) {
    const close = pieces.findIndex(({ text }) => text === ")");
    const words = pieces.slice(1, close).map(({ text }) => text);
    // Anything else is a syntax error, which the engine reports.
    if (words.every((word) => /^(?:\w+|,|'\w*'|"\w*")$/.test(word)))
      return split(pieces[close]?.end ?? 0, `EXPLAIN (${words.join(" ")})`);
  }
  return split(explain.end, "EXPLAIN");
}

/** Returns the first piece of the statement, without a scan of the rest, which can be long. */
function firstPiece(sql: string): Piece | undefined {
  for (const piece of significantPieces(sql)) if (piece.text !== ";") return piece;
  return undefined;
}

function isWord(text: string | undefined, ...words: readonly string[]): boolean {
  return text !== undefined && words.includes(text.toLowerCase());
}
