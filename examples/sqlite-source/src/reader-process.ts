// Process of `reader.ts`: reads one statement of an SQLite file.
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { ColumnDescription } from "./columns.ts";
import type { Reply, TableDescription } from "./reader.ts";

const [, , path = ""] = process.argv;
const maxRows = 1_000;
let database: DatabaseSync | undefined;
let rows: Iterator<unknown> = [].values();
let prepared: StatementSync | undefined;
let firstRow: unknown;

/** Opens the file. SQLite refuses to write to it, and to load extensions. */
function open(): DatabaseSync {
  database ??= new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  return database;
}

function prepare(sql: string, parameters: unknown): readonly ColumnDescription[] {
  // ATTACH would open other files, and PRAGMA change settings. SQLite ignores statements after the first.
  if (!/^(\s|--.*\n|\/\*[\s\S]*?\*\/|\()*(select|with|values)\b/i.test(sql))
    throw new Error("Statement not allowed: send SELECT, WITH or VALUES.");
  const statement = open().prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const values = bound(parameters);
  rows = Array.isArray(values) ? statement.iterate(...values) : statement.iterate(values);
  prepared = statement;
  return columns();
}

/** Returns the columns. After the first row, those without a declared type have that of its values. */
function columns(): readonly ColumnDescription[] {
  const described = prepared?.columns() ?? [];
  return described.map(({ name, type }, index) => ({ name, type: type ?? typeOf(firstRow, index) }));
}

function bound(parameters: unknown): SQLInputValue[] | Record<string, SQLInputValue> {
  const value = (one: unknown): SQLInputValue => {
    if (typeof one === "boolean") return Number(one);
    if (typeof one !== "object" || one === null) return one as SQLInputValue;
    // Quern passes a number that a double cannot hold as an object with its text.
    const text = "exactNumber" in one ? String(one.exactNumber) : JSON.stringify(one);
    const isInteger = /^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
    return isInteger ? BigInt(text) : text;
  };
  if (parameters === null || typeof parameters !== "object") return [];
  if (Array.isArray(parameters)) return parameters.map(value);
  return Object.fromEntries(Object.entries(parameters).map(([name, one]) => [name, value(one)]));
}

/** Returns the type of an expression by its first value. */
function typeOf(row: unknown, index: number): string | null {
  const value: unknown = Array.isArray(row) ? row[index] : null;
  if (typeof value === "bigint") return "INTEGER";
  if (typeof value === "number") return "REAL";
  return value instanceof Uint8Array ? "BLOB" : null;
}

function nextRows(): readonly unknown[] {
  const batch: unknown[] = [];
  while (batch.length < maxRows) {
    const next = rows.next();
    if (next.done === true) break;
    batch.push(next.value);
  }
  firstRow ??= batch[0];
  return batch;
}

function tables(): readonly TableDescription[] {
  const found = open().prepare(
    "SELECT t.name, c.name AS column_name, c.type, c.\"notnull\" AS required FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid",
  );
  const byName = new Map<string, TableDescription["columns"][number][]>();
  for (const { name, column_name, type, required } of found.all()) {
    const columns = byName.get(String(name)) ?? [];
    columns.push({ name: String(column_name), type: String(type) || null, nullable: required !== 1 });
    byName.set(String(name), columns);
  }
  return [...byName].map(([name, columns]) => ({ name, columns }));
}

function reply(message: readonly unknown[]): Reply {
  const [method, sql, parameters] = message;
  try {
    if (method === "prepare") return { value: prepare(String(sql), parameters) };
    if (method === "rows") return { value: nextRows() };
    return { value: method === "columns" ? columns() : tables() };
  } catch (error) {
    const { message: text, errcode = 1 } = error as Error & { readonly errcode?: number };
    // Codes of SQLite: 11 for a damaged file, 14 for one that cannot be opened, 26 for one that is no database.
    return { failure: { message: text, isOfFile: [11, 14, 26].includes(errcode & 0xff) } };
  }
}

process.on("message", (message: readonly unknown[]) => process.send?.(reply(message)));
process.on("disconnect", () => process.exit());
