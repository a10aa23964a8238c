import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName } from "../engine/quoting.ts";
import { exactCell } from "./exact-value.ts";

export interface PostgresColumn {
  readonly name: string;
  /** Type in PostgreSQL's notation, such as `numeric(10,2)`. */
  readonly type: string;
}

/** Conversion of a column from PostgreSQL to the engine, through a CSV file. */
export interface ColumnReading {
  /** SQL of PostgreSQL for the value in the CSV file. */
  readonly copied: string;
  /** Type in which the engine reads the copied text. */
  readonly csvType: string;
  /** Returns SQL of the engine for the stored value. `csv` is SQL that reads the file, and `cell` a column of it. */
  value(connection: DuckDBConnection, csv: string, cell: string): Promise<string>;
}

/** Types whose text has the same meaning in PostgreSQL and in the engine. */
const types: Readonly<Record<string, string>> = {
  boolean: "BOOLEAN",
  smallint: "SMALLINT",
  integer: "INTEGER",
  bigint: "BIGINT",
  oid: "UINTEGER",
  real: "FLOAT",
  "double precision": "DOUBLE",
  uuid: "UUID",
  json: "JSON",
  jsonb: "JSON",
};

/** Types whose text is copied and converted. Their precision and fields do not change the conversion. */
const times: Readonly<Record<string, string>> = {
  date: "DATE",
  "timestamp without time zone": "TIMESTAMP",
  "timestamp with time zone": "TIMESTAMPTZ",
  "time without time zone": "TIME",
  interval: "INTERVAL",
};

/** Writes a year before 1 as the engine reads it: `0044-03-15 (BC) 12:00:00`. The engine rejects plus signs in intervals. */
const copiedTimes: Readonly<Record<string, (column: string) => string>> = {
  TIME: (column) => column,
  INTERVAL: (column) => `replace(${column}::text, '+', '')`,
};
const copiedDate = (column: string): string => `regexp_replace(${column}::text, '^(\\S+)(.*) BC$', '\\1 (BC)\\2')`;

/**
 * Returns the conversion of a column. Types without a conversion here become text. Arrays become JSON, because
 * PostgreSQL does not declare their depth.
 * @param given type of the engine that replaces that of PostgreSQL @default none
 */
export function columnReading({ name, type }: PostgresColumn, given?: string): ColumnReading {
  const column = quotedName(name);
  const asIt = async (_connection: DuckDBConnection, _csv: string, cell: string): Promise<string> => cell;
  const time = times[type.replace(/\(\d\)| (?:year|month|day|hour|minute|second)\b.*$/g, "")];
  const copiedTime = time === undefined ? column : (copiedTimes[time] ?? copiedDate)(column);
  if (given !== undefined) return givenReading(given === "VARCHAR" ? `${column}::text` : copiedTime, given);
  if (type.endsWith("[]")) return { copied: `to_json(${column})`, csvType: "JSON", value: asIt };
  if (type === "bytea") {
    const value = async (_connection: DuckDBConnection, _csv: string, cell: string) => `unhex(substr(${cell}, 3))`;
    return { copied: column, csvType: "VARCHAR", value };
  }
  const [, precision, scale = "0"] = /^numeric\((\d+)(?:,(-?\d+))?\)$/.exec(type) ?? [];
  const fits =
    precision !== undefined && Number(precision) <= 38 && Number(scale) >= 0 && Number(scale) <= Number(precision);
  if (fits) return { copied: column, csvType: "VARCHAR", value: decimal(Number(precision), Number(scale)) };
  if (type.startsWith("numeric")) return { copied: column, csvType: "VARCHAR", value: measuredDecimal };
  if (time === undefined) return { copied: column, csvType: types[type] ?? "VARCHAR", value: asIt };
  const value = async (_connection: DuckDBConnection, _csv: string, cell: string) => `CAST(${cell} AS ${time})`;
  return { copied: copiedTime, csvType: "VARCHAR", value };
}

/** Converts the text of a column to a given type, exactly or with an error. */
function givenReading(copied: string, given: string): ColumnReading {
  const value = async (_connection: DuckDBConnection, _csv: string, cell: string) => exactCell(cell, given);
  return { copied, csvType: "VARCHAR", value };
}

/** Converts a numeric of fixed precision. A column with NaN stays text. */
function decimal(precision: number, scale: number): ColumnReading["value"] {
  return async (connection, csv, cell) => {
    const { numbers } = await measure(connection, csv, cell);
    return numbers ? `CAST(${cell} AS DECIMAL(${precision}, ${scale}))` : cell;
  };
}

/**
 * Converts a numeric without a precision, or with one that the engine's DECIMAL cannot have, to a decimal with the
 * digits that its values need. A column that needs more than 38 digits, or has NaN or an infinity, stays text.
 */
const measuredDecimal: ColumnReading["value"] = async (connection, csv, cell) => {
  const { numbers, whole, fraction } = await measure(connection, csv, cell);
  const fits = numbers && whole + fraction <= 38;
  return fits ? `CAST(${cell} AS DECIMAL(${Math.max(18, whole + fraction)}, ${fraction}))` : cell;
};

/**
 * Returns the largest number of digits before (`whole`) and after (`fraction`) the decimal point in a column. `numbers`
 * is false if a value is not a decimal number, such as NaN or an infinity.
 */
async function measure(
  connection: DuckDBConnection,
  csv: string,
  cell: string,
): Promise<{ numbers: boolean; whole: number; fraction: number }> {
  const reader = await connection.runAndReadAll(
    `SELECT coalesce(bool_and(regexp_full_match(${cell}, '-?\\d+(\\.\\d+)?')), true),
       coalesce(max(len(ltrim(split_part(${cell}, '.', 1), '-'))), 0), coalesce(max(len(split_part(${cell}, '.', 2))), 0)
     FROM ${csv}`,
  );
  const [numbers, whole, fraction] = reader.getRows()[0] ?? [];
  return { numbers: numbers === true, whole: Number(whole), fraction: Number(fraction) };
}
