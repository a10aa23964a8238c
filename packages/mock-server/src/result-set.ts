import type { ColumnKind, ResultColumn } from "@quern/query-run/record";
import { wireValue } from "./wire-value.ts";

/** A whole result in memory, its values as they travel. */
export interface ResultSet {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly unknown[])[];
}

export interface ColumnSpec {
  readonly name: string;
  /** Told from the values if left out. */
  readonly type?: ColumnKind;
}

/** Rows with the columns named, for repeated names, types that the values do not show, or a result without rows. */
export interface Table {
  readonly columns: readonly (string | ColumnSpec)[];
  readonly rows: readonly (readonly unknown[])[];
}

/**
 * Rows as a test writes them: objects keyed by column, or a table. Values may be anything that JSON has, and also
 * bigint, Date, Uint8Array, NaN and the infinities, which travel as the service sends them.
 */
export type Rows = readonly Readonly<Record<string, unknown>>[] | Table;

const engineTypes: Readonly<Record<ColumnKind, string>> = {
  string: "VARCHAR",
  number: "DOUBLE",
  date: "TIMESTAMP",
  boolean: "BOOLEAN",
  object: "STRUCT",
  array: "LIST",
  unknown: "UNKNOWN",
};

// The table's own keys.
export const columnKinds = Object.keys(engineTypes) as readonly ColumnKind[];

/** Reads rows as a test writes them. @throws TypeError where they are none: a row longer than the columns, a type that there is not. */
export function resultSet(rows: Rows): ResultSet {
  const { columns, rows: values } = isTable(rows) ? rows : tableOf(rows);
  const tooLong = values.findIndex((row) => row.length > columns.length);
  if (tooLong >= 0) throw new TypeError(`row ${tooLong} has more values than the ${columns.length} columns`);
  const odd = columns
    .map((column) => (typeof column === "string" ? "string" : (column.type ?? "string")))
    .find((kind) => !columnKinds.includes(kind));
  if (odd !== undefined)
    throw new TypeError(`there is no column type ${JSON.stringify(odd)}; use ${columnKinds.join(", ")}`);
  return {
    columns: columns.map((column, at) => {
      const { name, type: kind = kindOf(values.map((row) => row[at])) } =
        typeof column === "string" ? { name: column } : column;
      return { name, kind, engineType: engineTypes[kind] };
    }),
    rows: values.map((row) => columns.map((_, at) => wireValue(row[at]))),
  };
}

function isTable(rows: Rows): rows is Table {
  return !Array.isArray(rows);
}

function tableOf(rows: readonly Readonly<Record<string, unknown>>[]): Table {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { columns, rows: rows.map((row) => columns.map((name) => (Object.hasOwn(row, name) ? row[name] : null))) };
}

function kindOf(values: readonly unknown[]): ColumnKind {
  const kinds = new Set(values.filter((value) => value !== null && value !== undefined).map(kindOfValue));
  const [kind = "unknown"] = kinds;
  return kinds.size === 1 ? kind : "unknown";
}

function kindOfValue(value: unknown): ColumnKind {
  if (typeof value === "string" || value instanceof Uint8Array) return "string";
  if (typeof value === "number" || typeof value === "bigint") return "number";
  if (typeof value === "boolean") return "boolean";
  if (value instanceof Date) return "date";
  return Array.isArray(value) ? "array" : "object";
}
