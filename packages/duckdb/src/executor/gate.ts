import {
  type DuckDBConnection,
  type DuckDBExtractedStatements,
  type DuckDBPreparedStatement,
  StatementType,
} from "@duckdb/node-api";
import { onEngine } from "./engine-error.ts";
import { inspectText, inspectTree, notReading, refused } from "./inspection.ts";
import { parameterError } from "./parameters.ts";
import { noObjects, type SourceObjects } from "./source-objects.ts";
import { bareStatement, splitExplain } from "./statement-text.ts";

/** Statement that may run. */
export interface Admission {
  /** Prepared statement; for EXPLAIN the statement that it explains. */
  readonly prepared: DuckDBPreparedStatement;
  /**
   * Number of enum types that one run of the statement creates: one for each column of a PIVOT that does not list its
   * values; 0 without such a PIVOT.
   */
  readonly pivotTypes: number;
  /** True if the syntax tree of the statement shows that it has few rows. */
  readonly hasFewRows: boolean;
  /** For EXPLAIN only: the text that runs, and the bytes by which positions in it exceed those in the caller's text. */
  readonly explain?: { readonly sql: string; readonly offset: number };
}

/** Statement inside the caller's text, and the number of bytes before it. */
interface Excerpt {
  readonly text: string;
  readonly precedingBytes: number;
}

const notOne =
  "Statement not allowed: the text has several statements, or one that writes; send one statement that reads.";

/**
 * Admits one statement that only reads, and prepares it. This check, the gate, is a second layer of protection: the
 * locked engine must be safe without it. It runs after the lock, because even parsing a statement can access the disk.
 * @param useAllThreads called before the values of a PIVOT are read, which may take long @default nothing is called
 * @param source views and macros of the data source @default none
 * @throws {StatementError} if the statement is refused, or if the engine reports an error in it
 */
export async function admit(
  connection: DuckDBConnection,
  sql: string,
  useAllThreads: () => Promise<void> = async () => {},
  source: SourceObjects = noObjects,
): Promise<Admission> {
  const admitExcerpt = (excerpt: Excerpt) => admitReading(connection, sql, excerpt, useAllThreads, source);
  const parts = splitExplain(sql);
  if (parts === undefined) return admitExcerpt({ text: sql, precedingBytes: 0 });
  const { head, options, inner } = parts;
  const precedingBytes = Buffer.byteLength(head);
  const admission = await admitExcerpt({ text: inner, precedingBytes });
  // The text that runs is built from the admitted part, so that nothing unchecked is in it.
  const open = `${options}\n`;
  const explain = { sql: `${open}${bareStatement(inner)}`, offset: Buffer.byteLength(open) - precedingBytes };
  await onEngine(sql, () => connection.extractStatements(explain.sql), explain.offset);
  return { ...admission, explain };
}

async function admitReading(
  connection: DuckDBConnection,
  sql: string,
  { text, precedingBytes }: Excerpt,
  useAllThreads: () => Promise<void>,
  source: SourceObjects,
): Promise<Admission> {
  // Positions in errors of the engine refer to the excerpt; they are moved to the caller's text.
  const onExcerpt = <T>(step: () => Promise<T>): Promise<T> => onEngine(sql, step, -precedingBytes);
  const statements = await onExcerpt(() => extract(connection, text));
  const hasPivot = statements.count > 1 && (await isOneQuery(connection, text, statements.count));
  // The message has no count, because a PIVOT counts as several statements.
  if (statements.count > 1 && !hasPivot) throw refused(notOne);
  // Names are checked before the statement is prepared, because preparing it calls table functions for their columns.
  if (hasPivot) inspectText(text, source);
  const hasFewRows = !hasPivot && (await inspectTree(connection, text, source));
  // The statements before the last one create the enum types of a PIVOT. The last one can be prepared after they ran.
  const last = statements.count - 1;
  if (last > 0) await useAllThreads();
  for (let index = 0; index < last; index += 1) {
    const step = await onExcerpt(() => statements.prepare(index).catch(throwPivotFault));
    if (step.statementType !== StatementType.CREATE) throw notReading();
    await onExcerpt(() => step.run().catch(throwPivotFault));
  }
  const prepared = await onExcerpt(() => statements.prepare(last));
  if (prepared.statementType !== StatementType.SELECT) throw notReading();
  return { prepared, pivotTypes: last, hasFewRows };
}

/** Matches the errors of the engine for a parameter in the rows of a PIVOT, which its statement for the values lacks. */
const parameterFault = /Could not find parameter with identifier|unique_ptr that is NULL/;

function throwPivotFault(error: unknown): never {
  if (!parameterFault.test(String(error))) throw error;
  throw parameterError(
    "Unsupported parameter in the rows of a PIVOT whose values are not listed; list them: PIVOT … ON column IN ('a', 'b').",
  );
}

async function extract(connection: DuckDBConnection, text: string): Promise<DuckDBExtractedStatements> {
  try {
    return await connection.extractStatements(text);
  } catch (error) {
    // The engine reports nothing else about a text that is empty or has only comments.
    if (error instanceof Error && error.message === "Error in native callback") throw noStatement();
    throw error;
  }
}

/**
 * Returns true for one query with a PIVOT, which the engine splits into statements that create enum types and one that
 * selects. Several statements differ from it in that they cannot stand in parentheses.
 */
async function isOneQuery(connection: DuckDBConnection, text: string, count: number): Promise<boolean> {
  try {
    return (await connection.extractStatements(`FROM (\n${bareStatement(text)}\n)`)).count === count;
  } catch {
    return false;
  }
}

function noStatement(): Error {
  return refused("Statement not allowed: the text has no statement; send one statement that reads.");
}
