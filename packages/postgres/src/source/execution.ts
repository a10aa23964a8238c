import type { EncodedResult, Execution, Statement } from "@quern/adapter";
import { StatementError } from "@quern/adapter";
import { to as copyTo } from "pg-copy-streams";
import { boundRows, type CsvRows } from "./bound-rows.ts";
import type { SourceColumn } from "./columns.ts";
import type { Session } from "./connection.ts";
import { describeStatement, explained } from "./description.ts";
import { sourceError } from "./failure.ts";
import { admit } from "./gate.ts";
import { boundValues, numbered } from "./parameters.ts";
import { queryIdText } from "./query-id.ts";

/** Milliseconds beyond the timeout of the service after which PostgreSQL itself ends a statement. */
const timeoutMarginMs = 5_000;

/**
 * Starts a statement on a connection.
 * @param cancel ends the connection from another one
 */
export async function beginExecution(
  session: Session,
  statement: Statement,
  signal: AbortSignal,
  cancel: () => Promise<void>,
): Promise<Execution> {
  const { client, id } = session;
  const { sql, parameters, limits } = statement;
  const { execute, columns } = await prepared(session, sql, parameters);
  await client.query(`SET LOCAL statement_timeout = ${limits.timeoutSeconds * 1_000 + timeoutMarginMs}`);
  signal.throwIfAborted();
  const rows = execute();
  rows.on("error", () => {}); // the iteration of the stream throws it
  let isOver = false;
  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener("abort", stop);
    // PostgreSQL itself notices later that the client has closed the connection.
    cancel()
      .catch(() => {})
      .finally(() => session.end());
    rows.destroy(new Error("the query was stopped"));
  };
  signal.addEventListener("abort", stop, { once: true });

  async function* delivered(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of rows) yield piece;
      isOver = true;
    } catch (error) {
      signal.throwIfAborted();
      throw sourceError(error);
    }
  }

  return {
    engineQueryId: queryIdText(id),
    progress: () => null,
    result: () => encoded(delivered(), columns, () => rows.rowCount),
    async release() {
      signal.removeEventListener("abort", stop);
      if (isOver) session.end();
      else stop();
    },
  };
}

/** Prepares a statement. Returns the function that executes it, and the columns of its rows. */
async function prepared(
  { client }: Session,
  sql: string,
  parameters: Statement["parameters"],
): Promise<{ readonly execute: () => CsvRows; readonly columns: readonly SourceColumn[] }> {
  const admitted = await admit(sql);
  const statement = numbered(admitted, parameters);
  const { columns, ...described } = await describeStatement(client, statement);
  const values = boundValues(described.parameters, parameters);
  if (columns.length === 0) throw withoutColumns();
  const bound = { types: described.parameterTypes, values, names: statement.names };
  if (admitted.explain !== undefined) {
    const plan = explained(statement, admitted.explain);
    const { columns: planColumns } = await describeStatement(client, plan);
    // COPY takes no EXPLAIN.
    return { execute: () => boundRows(client, { text: plan.text, ...bound }), columns: planColumns };
  }
  const cells = columns.map(({ selected }, index) => selected(`c${index}`));
  const names = columns.map((_, index) => `c${index}`);
  // PostgreSQL has parsed the text by itself: nothing in it can end the parentheses around it.
  const text = `SELECT ${cells.join(", ")} FROM (\n${statement.text}\n) AS q(${names.join(", ")})`;
  function execute(): CsvRows {
    if (values.length > 0) return boundRows(client, { text, ...bound });
    // COPY takes about a third of the processor time for the rows, but no values.
    return client.query(copyTo(`COPY (${text}) TO STDOUT (FORMAT csv)`));
  }
  return { execute, columns };
}

/** Waits for the first bytes, or the end of a result without rows. */
async function encoded(
  bytes: AsyncGenerator<Uint8Array>,
  columns: readonly SourceColumn[],
  rowCount: () => number,
): Promise<EncodedResult> {
  const first = await bytes.next();
  async function* part(): AsyncGenerator<Uint8Array> {
    if (first.done === true) return;
    yield first.value;
    yield* bytes;
  }
  async function* parts(): AsyncGenerator<AsyncIterable<Uint8Array>> {
    yield part();
  }
  return {
    form: "encoded",
    encoding: "csv",
    columns: columns.map(({ name, engineType, storedType }) => ({ name, engineType, storedType })),
    parts: parts(),
    rowCount,
  };
}

function withoutColumns(): StatementError {
  return new StatementError({
    name: "StatementNotAllowed",
    message: "Statement not allowed: its result has no columns; select at least one.",
    data: { category: "USER", engine: "postgres", retryable: false },
  });
}
