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

/**
 * Splits a text at the semicolons between its statements. Returns the whole text as one statement if it has one, and if
 * engines would split it at different places: the service then refuses it, and nothing is run that was not meant.
 */
export function statementsOf(text: string): readonly Statement[] {
  const statements = split(text, standardPieces);
  const [first, second] = statements;
  if (first === undefined) return [];
  const isSame = JSON.stringify(statements) === JSON.stringify(split(text, escapingPieces));
  return second === undefined || !isSame ? [{ sql: text, line: first.line }] : statements;
}

function split(text: string, pieces: RegExp): readonly Statement[] {
  const statements: Statement[] = [];
  let start: number | undefined;
  let end = 0;
  let line = 1;
  let counted = 0;
  const close = () => {
    if (start === undefined) return;
    line += text.slice(counted, start).split(/\r\n|\r|\n/).length - 1;
    counted = start;
    statements.push({ sql: text.slice(start, end), line });
    start = undefined;
  };
  for (let at = 0; at < text.length; ) {
    pieces.lastIndex = at;
    const { 0: piece = "", groups } = pieces.exec(text) ?? { 0: text.slice(at) };
    const next = groups?.block === undefined ? at + piece.length : blockEnd(text, at);
    if (piece === ";") close();
    else if (groups?.line === undefined && groups?.block === undefined && piece.trim() !== "") {
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
