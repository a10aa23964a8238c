import { join } from "node:path";
import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBType,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
import type { Parameters, ResultColumn } from "@quern/query-run/record";
import { columnKind, engineTypeName, storedCell, type WideIntegers, widestNumber } from "../engine/column-type.ts";
import { resultFormat } from "../results/result-files.ts";
import { hidePaths, onEngine } from "./engine-error.ts";
import { type EngineThreads, withAdaptiveThreads } from "./engine-threads.ts";
import type { Admission } from "./gate.ts";
import { engineValues, nullParameters } from "./parameters.ts";
import { checkPivotValues, runText } from "./run-text.ts";
import { resultFile, resultTarget } from "./sandbox.ts";
import { bareStatement } from "./statement-text.ts";

/** Name and type of a column, as the engine has them. */
export interface ColumnShape {
  readonly name: string;
  readonly type: DuckDBType;
}

/** Statement that the gate has admitted. */
export interface AdmittedStatement extends Admission {
  readonly connection: DuckDBConnection;
  readonly threads: EngineThreads;
  /** Text of the caller. */
  readonly sql: string;
}

/** File of a result, and its number of rows. */
interface WrittenFile {
  readonly path: string;
  readonly rowCount: number;
}

/** End of each COPY that writes a result. */
const toResultFile = (types: readonly DuckDBType[]): string => `TO '${resultTarget}' (${resultFormat(types)})`;

/** Columns of every EXPLAIN. */
export const explainColumns: readonly ColumnShape[] = ["explain_key", "explain_value"].map((name) => ({
  name,
  type: VARCHAR,
}));

/**
 * Returns the columns of a statement. A statement with parameters runs with LIMIT 0 and its values, because types can
 * depend on the values. Without values, each parameter is null.
 */
export async function columnShapes(
  { connection, prepared, sql }: AdmittedStatement,
  parameters: Parameters | null,
): Promise<ColumnShape[]> {
  const known = preparedShapes(prepared);
  if (prepared.parameterCount === 0 && known !== undefined) return known;
  const values = engineValues(parameters ?? nullParameters(prepared), prepared);
  const run = (open: string): Promise<DuckDBResult> =>
    onEngine(sql, () => runText(connection, `${open}${bareStatement(sql)}\n) LIMIT 0`, values), open.length);
  // The first form keeps repeated names, but its grammar rejects a statement that has a LIMIT of its own.
  const empty = await run("(\n").catch(() => run("SELECT * FROM (\n"));
  const names = known?.map(({ name }) => name) ?? empty.columnNames();
  return names.map((name, index) => ({ name, type: columnType(empty, index, name) }));
}

/**
 * Returns the type of a column.
 * @throws {StatementError} for an internal type, such as TYPE or the state of an aggregate
 */
function columnType(result: DuckDBResult, index: number, name: string): DuckDBType {
  try {
    return result.columnType(index);
  } catch {
    throw new StatementError({
      name: "UnsupportedType",
      message: `Unsupported type of the column ${name}: a result cannot store it; cast the column to VARCHAR.`,
      data: { category: "USER", engine: "duckdb", retryable: false },
    });
  }
}

/** Returns the columns that the engine knows without values; undefined if it needs the values. */
function preparedShapes(prepared: DuckDBPreparedStatement): ColumnShape[] | undefined {
  try {
    return Array.from({ length: prepared.columnCount }, (_, index) => ({
      name: prepared.columnName(index),
      type: prepared.columnType(index),
    }));
  } catch {
    return undefined; // the engine reports one column `unknown`, and throws for its type
  }
}

/**
 * Writes the rows of a statement to a Parquet file. Its columns are named c0, c1, …, because names of a result may
 * repeat. If an integer does not fit the widest number of Parquet, the engine fails and the statement runs again with
 * text.
 */
export async function writeResult(
  statement: AdmittedStatement,
  parameters: Parameters | null,
  columns: readonly ColumnShape[],
  directory: string,
): Promise<WrittenFile> {
  const write = (wideIntegers: WideIntegers) => copyRows(statement, parameters, columns, wideIntegers);
  const rowCount = await write("number").catch((error: unknown) => {
    if (!String(error).includes(widestNumber)) throw error;
    return write("text");
  });
  await checkPivotValues(statement.connection, statement.pivotTypes);
  return { path: join(directory, resultFile), rowCount };
}

async function copyRows(
  { connection, threads, prepared, pivotTypes, sql }: AdmittedStatement,
  parameters: Parameters | null,
  columns: readonly ColumnShape[],
  wideIntegers: WideIntegers,
): Promise<number> {
  const aliases = columns.map((_, index) => `c${index}`);
  const stored = columns.map(({ type }, index) => {
    const cell = storedCell(type, `c${index}`, wideIntegers);
    return cell === `c${index}` ? cell : `${cell} AS c${index}`;
  });
  // The statement stands on lines of its own, so that a comment that `bareStatement` left at its end hides nothing.
  const open = `COPY (SELECT ${stored.join(", ")} FROM (\n`;
  const close = `\n) AS result(${aliases.join(", ")})) ${toResultFile(columns.map(({ type }) => type))}`;
  const text = `${open}${bareStatement(sql)}${close}`;
  // A single statement without values needs one call of the engine, not three.
  const isPlain = pivotTypes === 0 && prepared.parameterCount === 0;
  const run = () =>
    isPlain ? connection.run(text) : runText(connection, text, engineValues(parameters ?? [], prepared));
  const copy = () => withAdaptiveThreads({ connection, threads }, run);
  return (await onEngine(sql, copy, Buffer.byteLength(open))).rowsChanged;
}

/**
 * Runs EXPLAIN and writes its few rows to a Parquet file. EXPLAIN cannot stand in a COPY.
 * @param paths Paths of the service, which are hidden in the plan.
 */
export async function writeExplain(
  { connection, threads, prepared, sql, explain }: AdmittedStatement & Required<Pick<AdmittedStatement, "explain">>,
  parameters: Parameters | null,
  directory: string,
  paths: readonly string[],
): Promise<WrittenFile> {
  const values = engineValues(parameters ?? [], prepared);
  const run = async () => (await runText(connection, explain.sql, values)).getRows();
  const rows = await onEngine(sql, () => withAdaptiveThreads({ connection, threads }, run), explain.offset);
  const columns = explainColumns.map((_, index) => listValue(rows.map((row) => hidePaths(String(row[index]), paths))));
  const text = `COPY (SELECT unnest($1::VARCHAR[]) AS c0, unnest($2::VARCHAR[]) AS c1) ${toResultFile([])}`;
  const written = await onEngine(sql, () => connection.run(text, columns));
  return { path: join(directory, resultFile), rowCount: written.rowsChanged };
}

/** Converts columns of the engine to the columns that a result reports. */
export function toResultColumns(shapes: readonly ColumnShape[]): ResultColumn[] {
  return shapes.map(({ name, type }) => ({ name, kind: columnKind(type), engineType: engineTypeName(type) }));
}
