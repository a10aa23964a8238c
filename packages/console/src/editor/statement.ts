import { tokensOf } from "./sql-scanner.ts";

/** A statement and its place in the text of the editor. */
export interface Statement {
  readonly sql: string;
  readonly from: number;
}

interface Segment extends Statement {
  /** Offset after the semicolon of the statement. */
  readonly end: number;
}

/** Returns the statements of a text, without their semicolons and the space around them. */
export function statementsOf(text: string): readonly Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  let hasContent = false;
  const close = (to: number, end: number) => {
    const piece = text.slice(start, to);
    const from = start + piece.length - piece.trimStart().length;
    if (hasContent) segments.push({ sql: piece.trim(), from, end });
    start = end;
    hasContent = false;
  };
  for (const { kind, from, to } of tokensOf(text)) {
    if (kind === "semicolon") close(from, to);
    else if (kind !== "comment" && text.slice(from, to).trim() !== "") hasContent = true;
  }
  close(text.length, text.length);
  return segments;
}

/**
 * Returns the statement at a position; the one before it in the space between two statements, unless the next one
 * begins in the same line. Undefined if the text has no statement.
 */
export function statementAt(text: string, position: number): Statement | undefined {
  const statements = statementsOf(text);
  const next = statements.find(({ end, sql, from }) => position <= Math.max(end, from + sql.length));
  if (next === undefined) return statements.at(-1);
  const previous = statements[statements.indexOf(next) - 1];
  const isBetween = previous !== undefined && position < next.from;
  return isBetween && text.slice(position, next.from).includes("\n") ? previous : next;
}
