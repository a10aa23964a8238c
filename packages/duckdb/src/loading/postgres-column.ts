import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName } from "../engine/quoting.ts";

export interface PostgresColumn {
  readonly name: string;
  /** As PostgreSQL writes it, such as `numeric(10,2)`. */
  readonly type: string;
}

/** How a column travels. */
export interface ColumnReading {
  /** What PostgreSQL copies. */
  readonly copied: string;
  /** The type in which the engine reads the copied text. */
  readonly csvType: string;
  /** The value that is kept, of the column `cell` of `csv`. */
  value(connection: DuckDBConnection, csv: string, cell: string): Promise<string>;
}

/** Types whose text both sides read alike. */
const types: Readonly<Record<string, string>> = {
  boolean: "BOOLEAN",
  smallint: "SMALLINT",
  integer: "INTEGER",
  bigint: "BIGINT",
  oid: "UINTEGER",
  real: "FLOAT",
  "double precision": "DOUBLE",
  date: "DATE",
  uuid: "UUID",
  json: "JSON",
  jsonb: "JSON",
};

/** Types with digits below the second, which do not change how they are read. */
const times: Readonly<Record<string, string>> = {
  "timestamp without time zone": "TIMESTAMP",
  "timestamp with time zone": "TIMESTAMPTZ",
  "time without time zone": "TIME",
  interval: "INTERVAL",
};

/** What the engine has no type for is text; arrays are JSON, since PostgreSQL does not tell how deep they are. */
export function columnReading({ name, type }: PostgresColumn): ColumnReading {
  const column = quotedName(name);
  const asIt = async (_connection: DuckDBConnection, _csv: string, cell: string): Promise<string> => cell;
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
  const time = times[type.replace(/\(\d\)| (?:year|month|day|hour|minute|second)\b.*$/g, "")];
  return { copied: column, csvType: types[type] ?? time ?? "VARCHAR", value: asIt };
}

/** PostgreSQL has NaN also in a numeric of fixed precision; such a column keeps its text. */
function decimal(precision: number, scale: number): ColumnReading["value"] {
  return async (connection, csv, cell) => {
    const { numbers } = await measure(connection, csv, cell);
    return numbers ? `CAST(${cell} AS DECIMAL(${precision}, ${scale}))` : cell;
  };
}

/** A numeric without a precision has as many digits as its values need, or stays a text where they are too many. */
const measuredDecimal: ColumnReading["value"] = async (connection, csv, cell) => {
  const { numbers, whole, fraction } = await measure(connection, csv, cell);
  const fits = numbers && whole + fraction <= 38;
  return fits ? `CAST(${cell} AS DECIMAL(${Math.max(18, whole + fraction)}, ${fraction}))` : cell;
};

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
