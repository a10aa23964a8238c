import { clickhouse, duckdb, formatDialect, postgresql, trino } from "sql-formatter";
import type { Dialect } from "./dialect.ts";
import { tokensOf } from "./sql-scanner.ts";

const DIALECTS = { duckdb, postgresql, trino, clickhouse };

/** A larger statement would block the page for a second or more. */
const MAX_CHARACTERS = 50_000;

/**
 * Returns a statement with other spaces and line breaks.
 * @throws {Error} if the formatter does not understand the statement, or would change more than its spaces
 */
export function formattedSql(sql: string, dialect: Dialect): string {
  if (sql.length > MAX_CHARACTERS) throw new Error(`it has more than ${MAX_CHARACTERS} characters`);
  const paramTypes = { named: ["$" as const], numbered: ["$" as const], positional: true };
  const text = formatDialect(sql, { dialect: DIALECTS[dialect], paramTypes });
  if (piecesOf(text).join("\0") !== piecesOf(sql).join("\0")) throw new Error("the formatter does not know its syntax");
  return text;
}

const PIECES =
  /\d+(?:\.\d*)?|->>|->|#>>|#>|@>|<@|<=>|<>|!=|<=|>=|==|=>|\|\||::|:=|\*\*|\/\/|<<|>>|&&|!?~~?\*?|\.{2,3}|\S/gu;

/** Returns the parts of a statement without the spaces between them. The indent of lines in a comment is not a part. */
function piecesOf(sql: string): readonly string[] {
  const pieces: string[] = [];
  let operators = "";
  const close = () => {
    pieces.push(...(operators.match(PIECES) ?? []));
    operators = "";
  };
  for (const { kind, from, to } of tokensOf(sql)) {
    const piece = sql.slice(from, to);
    if (kind === "other" || kind === "mark") operators += piece;
    else {
      close();
      pieces.push(kind === "comment" ? piece.replace(/\n\s*/g, "\n").trimEnd() : piece);
    }
  }
  close();
  return pieces;
}
