import { significantPieces } from "./statement-text.ts";

export interface ExplainParts {
  /** The caller's text before the statement that is explained. */
  readonly head: string;
  /** The same as one line of key words, such as `EXPLAIN (ANALYZE, FORMAT json)`. */
  readonly options: string;
  /** The statement that is explained, and all that follows it. */
  readonly inner: string;
}

/** Splits `EXPLAIN` with its options from the statement; undefined for other statements. */
export function splitExplain(sql: string): ExplainParts | undefined {
  const pieces = [...significantPieces(sql)];
  const first = pieces.findIndex(({ text }) => text !== ";");
  const [explain, next, option] = pieces.slice(first, first + 3);
  if (explain === undefined || !isWord(explain.text, "explain")) return undefined;
  const split = (at: number, options: string): ExplainParts => ({
    head: sql.slice(0, at),
    options,
    inner: sql.slice(at),
  });
  if (isWord(next?.text, "analyze", "analyse")) return split(next?.end ?? 0, "EXPLAIN ANALYZE");
  if (next?.text === "(" && isWord(option?.text, "analyze", "analyse", "format")) {
    const close = pieces.findIndex(({ text }) => text === ")");
    const words = pieces.slice(first + 2, close).map(({ text }) => text);
    // Anything but words is no list of options, and the engine says so.
    if (words.every((word) => /^(?:\w+|,|'\w*'|"\w*")$/.test(word)))
      return split(pieces[close]?.end ?? 0, `EXPLAIN (${words.join(" ")})`);
  }
  return split(explain.end, "EXPLAIN");
}

function isWord(text: string | undefined, ...words: readonly string[]): boolean {
  return text !== undefined && words.includes(text.toLowerCase());
}
