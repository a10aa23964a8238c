/** One significant or insignificant piece at the start of the text; strings and quoted names are one piece. */
const pieces =
  /\s+|--[^\r\n]*|\/\*|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$((?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?)\$[\s\S]*?\$\1\$|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d+|[\s\S]/y;

/** One string, quoted name, word or sign of a statement. */
export interface Piece {
  readonly text: string;
  /** Offset of the first character behind it. */
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
 * The statement without the semicolons, comments and white space that follow it, so that it can stand in brackets.
 * What precedes the end is kept to the byte: positions in it stay true.
 */
export function bareStatement(sql: string): string {
  let last = 0;
  for (const { text, end } of significantPieces(sql)) if (text !== ";") last = end;
  return sql.slice(0, last);
}

function pieceAt(sql: string, index: number): string {
  // E'…' strings know backslashes, plain ones do not.
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

/** Block comments nest. */
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

export interface ExplainParts {
  /** The caller's text before the statement that is explained. */
  readonly head: string;
  /** `EXPLAIN` and its options on one line, such as `EXPLAIN (ANALYZE, FORMAT json)`. */
  readonly options: string;
  /** The statement that is explained, and all that follows it. */
  readonly inner: string;
}

/** Splits `EXPLAIN` with its options from the statement; undefined for other statements. */
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
    // Other content is a syntax error, which the engine reports.
    if (words.every((word) => /^(?:\w+|,|'\w*'|"\w*")$/.test(word)))
      return split(pieces[close]?.end ?? 0, `EXPLAIN (${words.join(" ")})`);
  }
  return split(explain.end, "EXPLAIN");
}

/** Finds the first piece of the statement, without reading the rest, which can be long. */
function firstPiece(sql: string): Piece | undefined {
  for (const piece of significantPieces(sql)) if (piece.text !== ";") return piece;
  return undefined;
}

function isWord(text: string | undefined, ...words: readonly string[]): boolean {
  return text !== undefined && words.includes(text.toLowerCase());
}
