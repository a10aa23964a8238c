import { type Piece, significantPieces } from "./statement-text.ts";

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
