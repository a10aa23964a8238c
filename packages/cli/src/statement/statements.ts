/** Statement of a text, and the line on which it begins, from 1. */
export interface Statement {
  readonly sql: string;
  readonly line: number;
}

/**
 * Comment, start of a block comment, string, quoted name, dollar-quoted string, word or another character. A text without
 * its end reaches to the end of the file, so that nothing in it is taken for a statement.
 */
const piecesOf = (string: string) =>
  new RegExp(
    [
      String.raw`(?<line>--[^\r\n]*)`,
      String.raw`(?<block>/\*)`,
      String.raw`[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)`,
      string,
      '"(?:[^"]|"")*(?:"|$)',
      "`(?:[^`]|``)*(?:`|$)",
      String.raw`\$(?<tag>(?:[\p{L}_][\p{L}\p{N}_]*)?)\$[\s\S]*?(?:\$\k<tag>\$|$)`,
      String.raw`[\p{L}_][\p{L}\p{N}_$]*`,
      String.raw`[\s\S]`,
    ].join("|"),
    "uy",
  );

const standardPieces = piecesOf("'(?:[^']|'')*(?:'|$)");
/** ClickHouse reads a backslash in any string as an escape. */
const escapingPieces = piecesOf(String.raw`'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)`);

/** Returns the number of line ends in a text. */
export function countLineEnds(text: string): number {
  return text.split(/\r\n|\r|\n/).length - 1;
}

/**
 * Splits a text at the semicolons between its statements. Returns the whole text as one statement if it has one, and if
 * engines would split it at different places: the service then refuses it, and nothing is run that was not meant.
 */
export function statementsOf(text: string): readonly Statement[] {
  // Performance: most texts have no comment, and a semicolon at their end at most. The expressions for the others take
  // milliseconds to compile.
  if (!/;(?!\s*$)|--|\/\*/.test(text)) {
    const start = text.search(/[^\s;]/);
    return start < 0 ? [] : [{ sql: text, line: 1 + countLineEnds(text.slice(0, start)) }];
  }
  const statements = split(text, standardPieces);
  const [first, second] = statements;
  if (first === undefined) return [];
  const isSame = JSON.stringify(statements) === JSON.stringify(split(text, escapingPieces));
  return second === undefined || !isSame ? [{ sql: text, line: first.line }] : statements;
}

/** End of a text that no semicolon ends yet. */
export interface OpenPart {
  /** Offset of its first character. */
  readonly start: number;
  /** Mark of the string, quoted name or block comment that has no end yet, or `(`. Undefined if there is none. */
  readonly mark: "'" | '"' | "`" | "$" | "*" | "(" | undefined;
  /** False if it has only white space and comments. */
  readonly isStatement: boolean;
}

/** Returns the part of a text after the last semicolon between statements. */
export function openPartOf(text: string): OpenPart {
  let start = 0;
  let depth = 0;
  let isStatement = false;
  let mark: OpenPart["mark"];
  for (let at = 0; at < text.length; ) {
    const { piece, next, kind } = pieceAt(text, at, standardPieces);
    at = next;
    if (piece === ";") {
      start = at;
      depth = 0;
      isStatement = false;
      continue;
    }
    if (kind !== undefined) {
      if (kind === "block" && !isClosedComment(text.slice(at - piece.length, at))) mark = "*";
      continue;
    }
    isStatement ||= piece.trim() !== "";
    if (piece === "(") depth += 1;
    if (piece === ")") depth = Math.max(0, depth - 1);
    if (at === text.length) mark = openMark(piece);
  }
  return { start, isStatement, mark: mark ?? (depth > 0 ? "(" : undefined) };
}

/** Returns the mark of a piece at the end of a text that lacks its end. */
function openMark(piece: string): OpenPart["mark"] {
  const [, quote] = /^[eE]?(['"`])/.exec(piece) ?? [];
  if (quote === "'" || quote === '"' || quote === "`") {
    const body = piece.slice(piece.indexOf(quote) + 1);
    const escapes = /^[eE]/.test(piece) ? /\\[\s\S]/g : /(?!)/g;
    return (body.replaceAll(escapes, "").split(quote).length - 1) % 2 === 0 ? quote : undefined;
  }
  const [tag] = /^\$[\p{L}\p{N}_]*\$/u.exec(piece) ?? [];
  return tag !== undefined && !(piece.length >= 2 * tag.length && piece.endsWith(tag)) ? "$" : undefined;
}

function isClosedComment(comment: string): boolean {
  return (comment.match(/\/\*/g) ?? []).length === (comment.match(/\*\//g) ?? []).length;
}

function pieceAt(text: string, at: number, pieces: RegExp) {
  pieces.lastIndex = at;
  const { 0: found = "", groups } = pieces.exec(text) ?? { 0: text.slice(at) };
  const kind = groups?.block !== undefined ? "block" : groups?.line !== undefined ? "line" : undefined;
  const next = kind === "block" ? blockEnd(text, at) : at + found.length;
  return { piece: text.slice(at, next), next, kind };
}

function split(text: string, pieces: RegExp): readonly Statement[] {
  const statements: Statement[] = [];
  let start: number | undefined;
  let end = 0;
  let line = 1;
  let counted = 0;
  const close = () => {
    if (start === undefined) return;
    line += countLineEnds(text.slice(counted, start));
    counted = start;
    statements.push({ sql: text.slice(start, end), line });
    start = undefined;
  };
  for (let at = 0; at < text.length; ) {
    const { piece, next, kind } = pieceAt(text, at, pieces);
    if (piece === ";") close();
    else if (kind === undefined && piece.trim() !== "") {
      start ??= at;
      end = next;
    }
    at = next;
  }
  close();
  return statements;
}

/** Returns the end of a block comment, in which others may be nested. */
function blockEnd(text: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}
