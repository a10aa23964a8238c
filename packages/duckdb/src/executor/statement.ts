import { join } from "node:path";
import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBResult, DuckDBType } from "@duckdb/node-api";
import { type ParameterDescription, StatementError } from "@quern/adapter";
import type { Parameters, ResultColumn } from "@quern/query-run/record";
import { columnKind, engineTypeName, storedCell, type WideIntegers, widestNumber } from "../engine/column-type.ts";
import { engineValue } from "../engine/engine-value.ts";
import { onEngine } from "./engine-error.ts";
import type { Admission } from "./gate.ts";
import { checkPivotValues, type EngineValues, runText } from "./run-text.ts";
import { outputFolder } from "./sandbox.ts";
import { bareStatement } from "./statement-text.ts";

export interface ColumnShape {
  readonly name: string;
  readonly type: DuckDBType;
}

/** A statement that the gate has admitted. */
export interface AdmittedStatement extends Admission {
  readonly connection: DuckDBConnection;
  readonly sql: string;
}

/** Relative to the directory of the process, so that no text that the engine runs has a path of the service. */
export const resultFile = `${outputFolder}/result.parquet`;

/** The end of each COPY that writes a result. */
export const toResultFile = `TO '${resultFile}' (FORMAT parquet, COMPRESSION zstd)`;

/** Names and types of the columns with the values bound, because types can depend on them. */
export async function columnShapes(
  { connection, prepared, sql }: AdmittedStatement,
  parameters: Parameters | null,
): Promise<ColumnShape[]> {
  const known = preparedShapes(prepared);
  if (prepared.parameterCount === 0 && known !== undefined) return known;
  const values = engineValues(parameters ?? nulls(prepared));
  const run = (open: string): Promise<DuckDBResult> =>
    onEngine(sql, () => runText(connection, `${open}${bareStatement(sql)}\n) LIMIT 0`, values), open.length);
  // The first form keeps repeated names, but its grammar does not take a statement with a limit of its own.
  const empty = await run("(\n").catch(() => run("SELECT * FROM (\n"));
  const names = known?.map(({ name }) => name) ?? empty.columnNames();
  return names.map((name, index) => ({ name, type: columnType(empty, index, name) }));
}

/** Returns the type of a column. @throws {StatementError} for a type of internal use, such as TYPE or the state of an aggregate */
function columnType(result: DuckDBResult, index: number, name: string): DuckDBType {
  try {
    return result.columnType(index);
  } catch {
    throw new StatementError({
      name: "UnsupportedType",
      message: `The type of a column cannot be in a result: ${name}; cast it to VARCHAR.`,
      data: { category: "USER", engine: "duckdb", retryable: false },
    });
  }
}

/** The columns of a statement that needs no values to know them. */
function preparedShapes(prepared: DuckDBPreparedStatement): ColumnShape[] | undefined {
  try {
    return Array.from({ length: prepared.columnCount }, (_, index) => ({
      name: prepared.columnName(index),
      type: prepared.columnType(index),
    }));
  } catch {
    return undefined; // the engine has one column `unknown`, of no type it could name
  }
}

/**
 * Writes the statement's rows to a Parquet file whose columns are named by position: any name may repeat. The
 * engine fails where an integer does not fit the widest number of Parquet; then the statement runs again, with text.
 */
export async function writeResult(
  statement: AdmittedStatement,
  parameters: Parameters | null,
  columns: readonly ColumnShape[],
  directory: string,
): Promise<{ path: string; rowCount: number }> {
  const write = (wideIntegers: WideIntegers) => copyRows(statement, parameters, columns, wideIntegers);
  const rowCount = await write("number").catch((error: unknown) => {
    if (!String(error).includes(widestNumber)) throw error;
    return write("text");
  });
  await checkPivotValues(statement.connection, statement.pivotTypes);
  return { path: join(directory, resultFile), rowCount };
}

async function copyRows(
  { connection, sql }: AdmittedStatement,
  parameters: Parameters | null,
  columns: readonly ColumnShape[],
  wideIntegers: WideIntegers,
): Promise<number> {
  const aliases = columns.map((_, index) => `c${index}`);
  const stored = columns.map(({ type }, index) => {
    const cell = storedCell(type, `c${index}`, wideIntegers);
    return cell === `c${index}` ? cell : `${cell} AS c${index}`;
  });
  const open = `COPY (SELECT ${stored.join(", ")} FROM (\n`;
  const close = `\n) AS result(${aliases.join(", ")})) ${toResultFile}`;
  const text = `${open}${bareStatement(sql)}${close}`;
  const values = engineValues(parameters ?? []);
  const copied = await onEngine(sql, () => runText(connection, text, values), Buffer.byteLength(open));
  return copied.rowsChanged;
}

export function toResultColumns(shapes: readonly ColumnShape[]): ResultColumn[] {
  return shapes.map(({ name, type }) => ({ name, kind: columnKind(type), engineType: engineTypeName(type) }));
}

export function describeParameters(prepared: DuckDBPreparedStatement): ParameterDescription[] {
  return Array.from({ length: prepared.parameterCount }, (_, index) => ({
    name: prepared.parameterName(index + 1),
    type: parameterType(prepared, index + 1),
  }));
}

/**
 * Parameters must be those of the statement: the engine's own message does not tell which is missing.
 * @throws {StatementError} naming the parameters that are missing or too many
 */
export function checkParameters(prepared: DuckDBPreparedStatement, parameters: Parameters | null): void {
  const expected = describeParameters(prepared).map(({ name }) => name);
  const given = parameters === null ? [] : parameterNames(parameters);
  const missing = expected.filter((name) => !given.includes(name));
  const surplus = given.filter((name) => !expected.includes(name));
  if (missing.length === 0 && surplus.length === 0) return;
  const parts = [
    ...(missing.length === 0 ? [] : [`no value was given for ${list(missing)}`]),
    ...(surplus.length === 0 ? [] : [`the statement has no parameter ${list(surplus)}`]),
  ];
  throw new StatementError({
    name: "ParameterError",
    message: `The parameters do not fit the statement: ${parts.join("; ")}.`,
    data: { category: "USER", engine: "duckdb", retryable: false },
  });
}

function parameterNames(parameters: Parameters): string[] {
  return Array.isArray(parameters) ? parameters.map((_, index) => String(index + 1)) : Object.keys(parameters);
}

function list(names: readonly string[]): string {
  return names.map((name) => `$${name}`).join(", ");
}

function parameterType(prepared: DuckDBPreparedStatement, index: number): string | null {
  try {
    const name = String(prepared.parameterType(index));
    return name === "ANY" ? null : name;
  } catch {
    return null; // the engine does not know the type before a value is bound
  }
}

function nulls(prepared: DuckDBPreparedStatement): Parameters {
  const names = describeParameters(prepared).map(({ name }) => name);
  const byPosition = names.every((name) => /^\d+$/.test(name));
  return byPosition ? names.map(() => null) : Object.fromEntries(names.map((name) => [name, null]));
}

export function engineValues(parameters: Parameters): EngineValues {
  if (Array.isArray(parameters)) {
    const bound = parameters.map(engineValue);
    return { values: bound.map(({ value }) => value), types: bound.map(({ type }) => type) };
  }
  const bound = Object.entries(parameters).map(([name, value]) => [name, engineValue(value)] as const);
  return {
    values: Object.fromEntries(bound.map(([name, { value }]) => [name, value])),
    types: Object.fromEntries(bound.map(([name, { type }]) => [name, type])),
  };
}
