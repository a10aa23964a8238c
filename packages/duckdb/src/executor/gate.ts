import {
  type DuckDBConnection,
  type DuckDBExtractedStatements,
  type DuckDBPreparedStatement,
  StatementType,
} from "@duckdb/node-api";
import { onEngine } from "./engine-error.ts";
import { inspectText, inspectTree, refused } from "./inspection.ts";
import { bareStatement, splitExplain } from "./statement-text.ts";

/** A statement that may run. */
export interface Admission {
  /** The statement, or for EXPLAIN the statement that it explains. */
  readonly prepared: DuckDBPreparedStatement;
  /** Enum types that a PIVOT without a list of values needs; 0 without one. */
  readonly pivotTypes: number;
  /** Present for EXPLAIN only: the text that runs, and the offset in bytes of its parts from those of the caller's text. */
  readonly explain?: { readonly sql: string; readonly offset: number };
}

/** Part of the caller's text: the text of one statement, and the bytes of the caller's text that precede it. */
interface Excerpt {
  readonly text: string;
  readonly precedingBytes: number;
}

const notReading = "Only statements that read are allowed.";
const notOne = "A run has one statement, which reads; the text has several, or one that writes.";

/**
 * Lets one statement through that only reads, and prepares it. The locked instance must hold without this gate; the
 * gate is the second wall. It runs behind the lock, because parsing alone can touch the disk.
 * @throws {StatementError} with what is wrong with the statement
 */
export async function admit(connection: DuckDBConnection, sql: string): Promise<Admission> {
  if (sql.trim() === "") throw refused("The text has no statement.");
  const parts = splitExplain(sql);
  if (parts === undefined) return admitReading(connection, sql, { text: sql, precedingBytes: 0 });
  const { head, options, inner } = parts;
  const precedingBytes = Buffer.byteLength(head);
  const admission = await admitReading(connection, sql, { text: inner, precedingBytes });
  // The text that runs is built from the part that was admitted.
  const open = `${options}\n`;
  const explain = { sql: `${open}${bareStatement(inner)}`, offset: Buffer.byteLength(open) - precedingBytes };
  await onEngine(sql, () => connection.extractStatements(explain.sql), explain.offset);
  return { ...admission, explain };
}

async function admitReading(
  connection: DuckDBConnection,
  sql: string,
  { text, precedingBytes }: Excerpt,
): Promise<Admission> {
  const onExcerpt = <T>(step: () => Promise<T>): Promise<T> => onEngine(sql, step, -precedingBytes);
  const statements = await onExcerpt(() => extract(connection, text));
  const hasPivot = statements.count > 1 && (await isOneQuery(connection, text, statements.count));
  // The count is no help to the caller: a PIVOT counts as several.
  if (statements.count > 1 && !hasPivot) throw refused(notOne);
  // Names are checked before the statement is bound: binding calls table functions to learn their columns.
  if (hasPivot) await inspectText(connection, text);
  else await inspectTree(connection, text);
  const last = statements.count - 1;
  for (let index = 0; index < last; index += 1) {
    const step = await onExcerpt(() => statements.prepare(index));
    if (step.statementType !== StatementType.CREATE) throw refused(notReading);
    await onExcerpt(() => step.run());
  }
  const prepared = await onExcerpt(() => statements.prepare(last));
  if (prepared.statementType !== StatementType.SELECT) throw refused(notReading);
  return { prepared, pivotTypes: last };
}

async function extract(connection: DuckDBConnection, text: string): Promise<DuckDBExtractedStatements> {
  try {
    return await connection.extractStatements(text);
  } catch (error) {
    // This is all that the engine says about a text of comments.
    if (error instanceof Error && error.message === "Error in native callback")
      throw refused("The text has no statement.");
    throw error;
  }
}

/**
 * Tells one query with a PIVOT, which the engine splits into statements that create its enum types and one that selects,
 * from several statements: only one query can stand in parentheses.
 */
async function isOneQuery(connection: DuckDBConnection, text: string, count: number): Promise<boolean> {
  try {
    return (await connection.extractStatements(`FROM (\n${bareStatement(text)}\n)`)).count === count;
  } catch {
    return false;
  }
}
