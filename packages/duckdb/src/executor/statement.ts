import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBType,
  DuckDBTypeId,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
import type { Cells, Parameters, ResultColumn } from "@quern/query-run/record";
import { columnKind, engineTypeName, storedCell, type WideIntegers, widestNumber } from "../engine/column-type.ts";
import { canBeCells, cellsOf, cellsOfFile } from "../results/cells.ts";
import { cellBytes } from "../results/checked-cells.ts";
import { resultFormat } from "../results/result-files.ts";
import { hidePaths, onEngine } from "./engine-error.ts";
import { type EngineThreads, withAdaptiveThreads } from "./engine-threads.ts";
import type { Admission } from "./gate.ts";
import { engineValues, nullParameters } from "./parameters.ts";
import { checkPivotValues, runText } from "./run-text.ts";
import { resultTarget } from "./sandbox.ts";
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

/** Rows of a result: in {@link resultFile}, or as cells if they are small. */
export interface WrittenRows {
  readonly rowCount: number;
  readonly cells?: Cells | undefined;
}

/** Text before a statement whose rows are selected. */
const openRows = "(\n";

/** Table for the rows of a statement with few rows whose values are large. */
const rowTable = "quern_rows";

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
 * Runs a statement. Its rows are cells if they have at most `maxCellBytes` bytes, and are else written to a Parquet file,
 * whose columns are named c0, c1, …, because names of a result may repeat.
 */
export async function runStatement(
  statement: AdmittedStatement,
  parameters: Parameters | null,
  columns: readonly ColumnShape[],
  maxCellBytes: number,
): Promise<WrittenRows> {
  const types = columns.map(({ type }) => type);
  if (maxCellBytes > 0 && statement.hasFewRows && canBeCells(types) && !types.some(isFloat))
    return runOnce(statement, parameters, types, maxCellBytes);
  const { connection, pivotTypes, prepared, sql } = statement;
  // A single statement without values needs one call of the engine, not three.
  const isPlain = pivotTypes === 0 && prepared.parameterCount === 0;
  // The statement stands on lines of its own, so that a comment that `bareStatement` left at its end hides nothing.
  const rowCount = await copyRows(statement, types, `${openRows}${bareStatement(sql)}\n)`, (text) =>
    isPlain ? connection.run(text) : runText(connection, text, engineValues(parameters ?? [], prepared)),
  );
  await checkPivotValues(connection, pivotTypes);
  return { rowCount, cells: await cellsOfFile(connection, { path: resultTarget, rowCount, types }, maxCellBytes) };
}

/** Returns true for a type whose text only the engine can write. */
function isFloat({ typeId }: DuckDBType): boolean {
  return typeId === DuckDBTypeId.FLOAT;
}

/**
 * Runs a prepared statement with few rows without a COPY, which would be planned anew. Where its values are too large for
 * cells, they are written from this execution: a second one could have other values, such as those of `random()`.
 */
async function runOnce(
  statement: AdmittedStatement,
  parameters: Parameters | null,
  types: readonly DuckDBType[],
  maxCellBytes: number,
): Promise<WrittenRows> {
  const { connection, prepared, sql } = statement;
  if (prepared.parameterCount > 0) {
    const { values, types: given } = engineValues(parameters ?? [], prepared);
    prepared.bind(values, given);
  }
  const result = await onEngine(sql, () => withAdaptiveThreads(statement, () => prepared.run()));
  const chunks = await result.fetchAllChunks();
  const cells = cellsOf(chunks, types, maxCellBytes);
  if (cells !== undefined) return { rowCount: cells.length, cells };
  const columns = types.map((type, index) => `c${index} ${engineTypeName(type)}`);
  await onEngine("", async () => {
    await connection.run(`CREATE TEMP TABLE ${rowTable} (${columns.join(", ")})`);
    const appender = await connection.createAppender(rowTable, "main", "temp");
    for (const chunk of chunks) {
      appender.appendDataChunk(chunk);
      chunk.reset(); // memory of the engine, which the garbage collector does not count
    }
    appender.closeSync();
  });
  return { rowCount: await copyRows(statement, types, `temp.main.${rowTable}`, (text) => connection.run(text)) };
}

/**
 * Writes rows to a Parquet file. If an integer does not fit the widest number of Parquet, the engine fails, and the text
 * runs again with integers as text.
 * @param from SQL of the rows
 * @param run runs the text of the COPY
 */
async function copyRows(
  { connection, threads, sql }: AdmittedStatement,
  types: readonly DuckDBType[],
  from: string,
  run: (text: string) => Promise<DuckDBResult>,
): Promise<number> {
  const copy = async (wideIntegers: WideIntegers): Promise<number> => {
    const cells = types.map((type, index) => {
      const cell = storedCell(type, `c${index}`, wideIntegers);
      return cell === `c${index}` ? cell : `${cell} AS c${index}`;
    });
    const open = `COPY (SELECT ${cells.join(", ")} FROM `;
    const text = `${open}${from} AS result(${types.map((_, index) => `c${index}`).join(", ")})) ${toResultFile(types)}`;
    const runCopy = () => withAdaptiveThreads({ connection, threads }, () => run(text));
    return (await onEngine(sql, runCopy, Buffer.byteLength(open) + openRows.length)).rowsChanged;
  };
  return copy("number").catch((error: unknown) => {
    if (!String(error).includes(widestNumber)) throw error;
    return copy("text");
  });
}

/**
 * Runs EXPLAIN. Its few rows are cells, or are written to a Parquet file, like those of {@link runStatement}. EXPLAIN cannot
 * stand in a COPY.
 * @param paths Paths of the service, which are hidden in the plan.
 */
export async function writeExplain(
  { connection, threads, prepared, sql, explain }: AdmittedStatement & Required<Pick<AdmittedStatement, "explain">>,
  parameters: Parameters | null,
  paths: readonly string[],
  maxCellBytes: number,
): Promise<WrittenRows> {
  const values = engineValues(parameters ?? [], prepared);
  const run = async () => (await runText(connection, explain.sql, values)).getRows();
  const found = await onEngine(sql, () => withAdaptiveThreads({ connection, threads }, run), explain.offset);
  const rows = found.map((row) => row.map((value) => hidePaths(String(value), paths)));
  const cells = rows.map((row) => row.map((value) => JSON.stringify(value)));
  if (cellBytes(cells) <= maxCellBytes) return { rowCount: rows.length, cells };
  const columns = explainColumns.map((_, index) => listValue(rows.map((row) => row[index] ?? "")));
  const text = `COPY (SELECT unnest($1::VARCHAR[]) AS c0, unnest($2::VARCHAR[]) AS c1) ${toResultFile([])}`;
  return { rowCount: (await onEngine(sql, () => connection.run(text, columns))).rowsChanged };
}

/** Converts columns of the engine to the columns that a result reports. */
export function toResultColumns(shapes: readonly ColumnShape[]): ResultColumn[] {
  return shapes.map(({ name, type }) => ({ name, kind: columnKind(type), engineType: engineTypeName(type) }));
}
