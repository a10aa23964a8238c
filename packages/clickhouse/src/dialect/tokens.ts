/** Strings, quoted names, words, numbers and signs of a statement, without comments and white space. */
export interface Tokens {
  readonly length: number;
  /** Reason why the rest of the text has no tokens, such as a quote without an end. */
  readonly flaw: string | undefined;
  start(index: number): number;
  /** Returns the offset of the first character after a token. */
  end(index: number): number;
  /** Returns the text of a token; an empty one beyond the last token. */
  text(index: number): string;
}

const [quote, doubleQuote, backquote, backslash, dollar] = [0x27, 0x22, 0x60, 0x5c, 0x24];
const [slash, star, minus, hash, space, exclamation] = [0x2f, 0x2a, 0x2d, 0x23, 0x20, 0x21];
/** Pieces of a statement that are read before other work of the process gets its time: about a millisecond. */
export const piecesPerSlice = 512;
const noEnd = "a quote or comment has no end";

/**
 * Splits a statement as ClickHouse does. Visits each character a few times at most, and stops at the first flaw: an
 * unclosed quote would otherwise be searched from each of its characters again. Yields between slices of its work.
 */
export function* tokensOf(sql: string): Generator<void, Tokens> {
  // Two numbers for each token: objects would take 20 MB for a statement of the largest length.
  const starts: number[] = [];
  const ends: number[] = [];
  let flaw: string | undefined;
  let pieces = 0;
  for (let at = 0; at < sql.length && flaw === undefined; ) {
    pieces += 1;
    if (pieces % piecesPerSlice === 0) yield;
    const end = endOfPiece(sql, at);
    if (typeof end === "string") flaw = end;
    else if (end < 0) at = -end;
    else {
      starts.push(at);
      ends.push(end);
      at = end;
    }
  }
  const [length, start, end] = [starts.length, (i: number) => starts[i] ?? 0, (i: number) => ends[i] ?? 0];
  return { length, flaw, start, end, text: (index) => sql.slice(starts[index], index < 0 ? 0 : (ends[index] ?? 0)) };
}

/** Returns the end of the token at an offset; that of white space or a comment as a negative number; a flaw as text. */
function endOfPiece(sql: string, start: number): number | string {
  const code = sql.charCodeAt(start);
  const next = sql.charCodeAt(start + 1);
  if (isWord(code)) return endOfWord(sql, start);
  if (code === space || (code >= 0x09 && code <= 0x0d)) return -(start + 1);
  if (code < space || code > 0x7e) return `it has ${JSON.stringify(sql.charAt(start))} outside quotes; quote the name`;
  if (code === quote || code === doubleQuote || code === backquote) return endOfQuoted(sql, start, code);
  if (code === slash && next === star) return endOfBlockComment(sql, start);
  const isLine =
    (code === minus && next === minus) ||
    (code === slash && next === slash) ||
    (code === hash && (next === space || next === exclamation));
  if (isLine) {
    const end = sql.indexOf("\n", start);
    return -(end < 0 ? sql.length : end + 1);
  }
  return code === dollar ? endOfHereDocument(sql, start) : start + 1;
}

/** Returns true for ASCII letters, digits and `_`. */
function isWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f
  );
}

function endOfWord(sql: string, start: number): number {
  let end = start + 1;
  while (isWord(sql.charCodeAt(end))) end += 1;
  return end;
}

function endOfQuoted(sql: string, start: number, mark: number): number | string {
  for (let at = start + 1; at < sql.length; at += 1) {
    const code = sql.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === mark) {
      if (sql.charCodeAt(at + 1) !== mark) return at + 1;
      at += 1;
    }
  }
  return noEnd;
}

/** Block comments nest. */
function endOfBlockComment(sql: string, start: number): number | string {
  let depth = 0;
  for (let at = start; at < sql.length; at += 1) {
    const code = sql.charCodeAt(at);
    const next = sql.charCodeAt(at + 1);
    if (code === slash && next === star) depth += 1;
    else if (code === star && next === slash) depth -= 1;
    else continue;
    at += 1;
    if (depth === 0) return -(at + 1);
  }
  return noEnd;
}

/** The end of a name with $ and the begin of $tag$ are not distinguished here. */
function endOfHereDocument(sql: string, start: number): number | string {
  const bare = "it has a $ outside quotes; quote the name";
  if (start > 0 && (isWord(sql.charCodeAt(start - 1)) || sql.charCodeAt(start - 1) === dollar)) return bare;
  const end = isWord(sql.charCodeAt(start + 1)) ? endOfWord(sql, start + 1) : start + 1;
  if (sql.charCodeAt(end) !== dollar) return bare;
  const tag = sql.slice(start, end + 1);
  const close = sql.indexOf(tag, end + 1);
  return close < 0 ? bare : close + tag.length;
}

/** Returns true for the text of a word, or of a quoted name. */
export function isNameStart(text: string): boolean {
  const first = text.charCodeAt(0);
  return (isWord(first) && !(first >= 0x30 && first <= 0x39)) || first === doubleQuote || first === backquote;
}

/** Returns the name that the text of a token stands for, in lower case; undefined if it is no name. */
export function nameOf(text: string): string | undefined {
  const first = text.charCodeAt(0);
  if (isWord(first)) return first >= 0x30 && first <= 0x39 ? undefined : text.toLowerCase();
  if (text.length < 2 || (first !== doubleQuote && first !== backquote)) return undefined;
  return text.slice(1, -1).toLowerCase();
}

/** Returns a name as an error shows it. */
export function shown(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}
