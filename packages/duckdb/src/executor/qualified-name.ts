import { nameOf } from "./query-scope.ts";
import { significantPieces } from "./statement-text.ts";

/** Name after a dot that a text ends with. */
export interface QualifiedName {
  /** Parts before the last dot. Empty if something else is before it. */
  readonly qualifiers: readonly string[];
  /** Offset of the first part. */
  readonly start: number;
  /** Text after the dot, and its offset. */
  readonly typed: string;
  readonly typedStart: number;
  readonly isQuoted: boolean;
  /** Word or sign before the name. */
  readonly before: string;
}

/** Returns the qualified name at the end of a text, if there is a dot. */
export function qualifiedNameAt(text: string): QualifiedName | undefined {
  const pieces = [...significantPieces(text)];
  const last = pieces.at(-1);
  const isComment = text.slice(last?.end ?? 0).trim() !== "";
  if (last === undefined || isComment) return undefined;
  const quote = pieces.findLastIndex((piece) => piece.text === '"');
  const isQuoted = quote >= 0;
  const hasWord = !isQuoted && last.end === text.length && /^[\p{L}_]/u.test(last.text);
  const typedStart = isQuoted ? (pieces[quote]?.end ?? 1) - 1 : hasWord ? last.end - last.text.length : text.length;
  const typed = text.slice(typedStart).replace(/^"/, "").replaceAll('""', '"');
  const rest = isQuoted ? pieces.slice(0, quote) : hasWord ? pieces.slice(0, -1) : pieces;
  if (rest.at(-1)?.text !== ".") return undefined;
  const qualifiers: string[] = [];
  let start = typedStart;
  // A string without an end has no names.
  const isInString = pieces.some((piece) => piece.text === "'");
  while (!isInString && rest.at(-1)?.text === ".") {
    const piece = rest.at(-2);
    const name = piece === undefined ? undefined : nameOf(piece.text);
    if (piece === undefined || name === undefined) break;
    qualifiers.unshift(name);
    start = piece.end - piece.text.length;
    rest.splice(-2);
  }
  const before = rest.at(-1)?.text ?? "";
  // The rest of `f(x).a.`, of which no name is known.
  if (before === ".") qualifiers.length = 0;
  return { qualifiers, start, typed, typedStart, isQuoted, before };
}
