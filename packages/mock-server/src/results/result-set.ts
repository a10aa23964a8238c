import type { ColumnKind, ResultColumn } from "@quern/query-run/record";
import { memberCheck } from "../member-check.ts";

/** Result of a run, its values as they are on the wire. */
export interface ResultSet {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly unknown[])[];
}

export interface ColumnSpec {
  readonly name: string;
  /** @default the type of the values; `unknown` if their types differ, or all are null */
  readonly type?: ColumnKind;
  /**
   * Type name of the engine, such as `TIMESTAMP WITH TIME ZONE`.
   * @default the engine type of `type`, such as `DOUBLE` for `number`
   */
  readonly engineType?: string;
}

/** Rows with their columns. It allows repeated names, types that do not follow from the values, and a result without rows. */
export interface Table {
  readonly columns: readonly (string | ColumnSpec)[];
  readonly rows: readonly (readonly unknown[])[];
}

/**
 * Rows of a test: objects keyed by column, or a table. A column that an object lacks is NULL there. Values may be JSON values, bigint, Date,
 * Uint8Array, NaN and the infinities; they are sent as the service sends them.
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

// `Object.keys` loses the type of the keys.
export const columnKinds = Object.keys(engineTypes) as readonly ColumnKind[];

/**
 * Returns the result for rows of a test.
 * @throws TypeError for rows that are not valid, such as a row without a value for each column, an unknown type, a value
 * without a JSON form, or one that does not fit the type of its column.
 */
export function resultSet(rows: Rows): ResultSet {
  const { columns, rows: values } = isTable(rows) ? checkedTable(rows) : tableOf(rows);
  return {
    columns: columns.map((column, at) => {
      const spec: ColumnSpec = typeof column === "string" ? { name: column } : column;
      const { name, type: kind = kindOf(values.map((row) => row[at])), engineType = engineTypes[kind] } = spec;
      return { name, kind, engineType };
    }),
    rows: values.map((row, index) => columns.map((column, at) => sentValue(row[at], index, column))),
  };
}

function isTable(rows: Rows): rows is Table {
  return !Array.isArray(rows);
}

/** Checks the table of a plain JavaScript caller. */
function checkedTable(table: Table): Table {
  const { columns, rows } = table ?? {};
  if (!Array.isArray(columns) || !Array.isArray(rows))
    throw new TypeError("rows: expected an array of objects, or a table { columns, rows }");
  for (const [at, column] of columns.entries()) checkColumn(typeof column === "string" ? { name: column } : column, at);
  for (const [at, row] of rows.entries()) {
    if (!Array.isArray(row)) throw new TypeError(`rows: invalid row ${at}: expected an array`);
    if (row.length !== columns.length)
      throw new TypeError(
        `rows: invalid row ${at}: expected ${columns.length} values, got ${row.length}; pass null for NULL`,
      );
    for (const [index, value] of row.entries()) checkValue(value, columns[index], at);
  }
  return table;
}

function checkColumn(column: ColumnSpec, at: number): void {
  const { name, type, engineType } = column ?? {};
  if (typeof name !== "string") throw new TypeError(`rows: invalid column ${at}: expected a name`);
  memberCheck<ColumnSpec>(`rows: column ${at}`, { name: {}, type: {}, engineType: {} })(column);
  if (engineType !== undefined && typeof engineType !== "string")
    throw new TypeError(
      `rows: invalid engineType of column ${at}: expected a string, got ${JSON.stringify(engineType)}`,
    );
  if (type !== undefined && !columnKinds.includes(type))
    throw new TypeError(
      `rows: unknown type of column ${at}: ${JSON.stringify(type)}; use one of ${columnKinds.join(", ")}`,
    );
}

/**
 * Returns true for the text of a number: the service sends a number that JSON or a double cannot represent as a string.
 */
const isNumeric = (text: string): boolean => text.trim() !== "" && (text === "NaN" || !Number.isNaN(Number(text)));

/** Checks a value against the declared type of its column, on which clients rely. */
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
    throw new TypeError(`rows: invalid value in row ${at}, column "${name}": expected ${type}, got ${textOf(value)}`);
}

/** Returns a value as text. `JSON.stringify` throws for a bigint, and writes NaN as null. */
function textOf(value: unknown): string {
  const isNumber = typeof value === "bigint" || typeof value === "number";
  return isNumber ? String(value) : (JSON.stringify(value) ?? typeof value);
}

function tableOf(rows: readonly Readonly<Record<string, unknown>>[]): Table {
  const odd = rows.findIndex((row) => !isPlain(row));
  if (odd >= 0)
    throw new TypeError(`rows: invalid row ${odd}: expected a plain object; pass arrays as { columns, rows }`);
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

/** Returns the built-in type of a value, such as `Object`, `Map` or `Undefined`, also of one from another realm. */
function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** Returns the value of a cell as the service sends it. @throws TypeError with the row and the column */
function sentValue(value: unknown, row: number, column: string | ColumnSpec): unknown {
  try {
    return wireValue(value);
  } catch (error) {
    const name = typeof column === "string" ? column : column.name;
    const reason = error instanceof Error ? error.message : String(error);
    throw new TypeError(`rows: invalid value in row ${row}, column ${JSON.stringify(name)}: ${reason}`);
  }
}

/**
 * Returns a value as the service sends it. A `bigint` beyond 2^53 - 1, NaN and the infinities become strings, dates ISO
 * 8601 with `Z`, bytes base64.
 * @throws TypeError for a value without a JSON form, such as undefined, a function, a Map, an instance of a class, an invalid
 * date or a value that contains itself.
 * @param parents Arrays and objects that contain the value.
 */
function wireValue(value: unknown, parents: readonly unknown[] = []): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Date) return isoText(value);
  if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(""));
  if (parents.includes(value)) throw new TypeError("unsupported value: it contains itself; use a value without cycles");
  const inner = (member: unknown) => wireValue(member, [...parents, value]);
  // `from` reads the holes of a sparse array as undefined, `map` would skip them.
  if (Array.isArray(value)) return Array.from(value, inner);
  if (isPlain(value)) return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inner(member)]));
  const type =
    typeof value === "object" && typeof value.constructor === "function" ? value.constructor.name : typeof value;
  const instead = value === undefined ? "null" : "JSON values, bigint, Date or Uint8Array";
  throw new TypeError(`unsupported value: ${type}; use ${instead}`);
}

/** Returns true for an object without a class, also for one from another realm. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null || tagOf(value) !== "Object") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isoText(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new TypeError("unsupported value: Invalid Date; use a valid date or null");
  return date.toISOString();
}
