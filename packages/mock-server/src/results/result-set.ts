import type { ColumnKind, ResultColumn } from "@quern/query-run/record";
import { memberCheck } from "../member-check.ts";

/** A whole result in memory, its values as they travel. */
export interface ResultSet {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly unknown[])[];
}

export interface ColumnSpec {
  readonly name: string;
  /** Told from the values if left out. */
  readonly type?: ColumnKind;
  /**
   * Type in the engine's own words, such as `TIMESTAMP WITH TIME ZONE`.
   * @default the engine type that stands for `type`, such as `DOUBLE` for `number`
   */
  readonly engineType?: string;
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

/**
 * Reads rows as a test writes them.
 * @throws TypeError where they are none: a row longer than the columns, a type that there is not, a value that its column cannot have.
 */
export function resultSet(rows: Rows): ResultSet {
  const { columns, rows: values } = isTable(rows) ? checkedTable(rows) : tableOf(rows);
  return {
    columns: columns.map((column, at) => {
      const spec: ColumnSpec = typeof column === "string" ? { name: column } : column;
      const { name, type: kind = kindOf(values.map((row) => row[at])), engineType = engineTypes[kind] } = spec;
      return { name, kind, engineType };
    }),
    rows: values.map((row) => columns.map((_, at) => wireValue(row[at]))),
  };
}

function isTable(rows: Rows): rows is Table {
  return !Array.isArray(rows);
}

/** A table that callers without types may have written. */
function checkedTable(table: Table): Table {
  const { columns, rows } = table ?? {};
  if (!Array.isArray(columns) || !Array.isArray(rows))
    throw new TypeError("rows are an array of objects, or a table { columns, rows }");
  for (const [at, column] of columns.entries()) checkColumn(typeof column === "string" ? { name: column } : column, at);
  for (const [at, row] of rows.entries()) {
    if (!Array.isArray(row)) throw new TypeError(`row ${at} of the table is no array`);
    if (row.length > columns.length)
      throw new TypeError(`row ${at} has more values than the ${columns.length} columns`);
    for (const [place, value] of row.entries()) checkValue(value, columns[place], at);
  }
  return table;
}

const checkSpec = memberCheck<ColumnSpec>("rows: column", { name: {}, type: {}, engineType: {} });

function checkColumn(column: ColumnSpec, at: number): void {
  const { name, type, engineType } = column ?? {};
  if (typeof name !== "string") throw new TypeError(`column ${at} has no name`);
  checkSpec(column);
  if (engineType !== undefined && typeof engineType !== "string")
    throw new TypeError(`Invalid engineType of column ${at}: expected a string, got ${JSON.stringify(engineType)}`);
  if (type !== undefined && !columnKinds.includes(type))
    throw new TypeError(`there is no column type ${JSON.stringify(type)}; use ${columnKinds.join(", ")}`);
}

/** What stands for a number that JSON or a double cannot hold. */
const isNumeric = (text: string): boolean => text.trim() !== "" && (text === "NaN" || !Number.isNaN(Number(text)));

/** A column that says its type is believed by callers. */
function checkValue(value: unknown, column: string | ColumnSpec | undefined, at: number): void {
  if (value === null || value === undefined || typeof column !== "object") return;
  const { name, type = "unknown" } = column;
  const kind = kindOfValue(value);
  const fits =
    type === "unknown" ||
    kind === type ||
    (typeof value === "string" && type === "number" && isNumeric(value)) ||
    (typeof value === "string" && type === "date" && !Number.isNaN(Date.parse(value)));
  if (!fits)
    throw new TypeError(`row ${at} has ${JSON.stringify(value)} in the column "${name}", whose type is ${type}`);
}

function tableOf(rows: readonly Readonly<Record<string, unknown>>[]): Table {
  const odd = rows.findIndex((row) => typeof row !== "object" || row === null || Array.isArray(row));
  if (odd >= 0) throw new TypeError(`row ${odd} is no object; rows that are arrays need { columns, rows }`);
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

/**
 * A value as the service sends it: what JSON cannot hold without loss is a string. Integers beyond 2^53, NaN and the
 * infinities keep their digits or name, dates are ISO 8601 with `Z`, bytes are base64.
 * @throws TypeError for what JSON has no word for, such as a function or an invalid date.
 */
function wireValue(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Date) return isoText(value);
  if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(""));
  if (Array.isArray(value)) return value.map(wireValue);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, wireValue(member)]));
  }
  if (typeof value === "function" || typeof value === "symbol")
    throw new TypeError(`a row cannot hold a ${typeof value}`);
  return value ?? null;
}

function isoText(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new TypeError("a row cannot hold a date that is none");
  return date.toISOString();
}
