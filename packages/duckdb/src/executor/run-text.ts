import {
  type DuckDBConnection,
  type DuckDBResult,
  type DuckDBType,
  type DuckDBValue,
  StatementType,
} from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";

/** Values to bind, by position or by name, with their types. */
export interface EngineValues {
  readonly values: DuckDBValue[] | Record<string, DuckDBValue>;
  readonly types: DuckDBType[] | Record<string, DuckDBType>;
}

/**
 * Types of statements that the caller did not write. For a PIVOT without a list of values, the engine adds a transaction
 * and creates an enum type of the values. The gate admits no other statement of these types.
 */
const addedTypes: ReadonlySet<StatementType> = new Set([
  StatementType.TRANSACTION,
  StatementType.SET,
  StatementType.CREATE,
]);

/**
 * Runs a text that the engine may split into several statements, and returns the result of the statement that the
 * caller wrote. A failure leaves no transaction open, so that another text can run.
 */
export async function runText(connection: DuckDBConnection, text: string, bound: EngineValues): Promise<DuckDBResult> {
  const statements = await connection.extractStatements(text);
  let written: DuckDBResult | undefined;
  try {
    for (let index = 0; index < statements.count; index += 1) {
      const statement = await statements.prepare(index);
      if (statement.parameterCount > 0) statement.bind(bound.values, bound.types);
      const result = await statement.run().catch((error: unknown) => {
        // The engine removes the file of a failed COPY when its statement is freed. Later that would be the next
        // attempt's file.
        statement.destroySync();
        throw error;
      });
      if (!addedTypes.has(statement.statementType)) written = result;
    }
  } catch (error) {
    if (statements.count > 1) await connection.run("ROLLBACK").catch(() => {}); // fails without a transaction
    throw error;
  }
  if (written === undefined) throw new Error("The engine ran no statement of the text.");
  return written;
}

/**
 * Checks that the values of a PIVOT are the same each time the engine determined them: for the columns, and for the
 * rows.
 * @param count number of enum types that one run of the statement creates
 * @throws {StatementError} `PivotValuesChanged`
 */
export async function checkPivotValues(connection: DuckDBConnection, count: number): Promise<void> {
  if (count === 0) return;
  const reader = await connection.runAndReadAll(`SELECT labels::VARCHAR FROM duckdb_types()
    WHERE database_name = 'temp' AND starts_with(type_name, '__pivot_enum') ORDER BY type_oid`);
  const found = reader.getRows().map(([labels]) => labels);
  if (found.every((labels, index) => labels === found[index % count])) return;
  throw new StatementError({
    name: "PivotValuesChanged",
    message: "Values of a PIVOT changed while the statement ran; list them: PIVOT … ON column IN ('a', 'b').",
    data: { category: "USER", engine: "duckdb", retryable: false },
  });
}
