import type { Execute } from "@quern/mock-server";
import initSqlJs, { type Database, type SqlValue } from "sql.js";
import type { Sample } from "./sample.ts";

/** Rows beyond this number would slow the page. */
const maxRows = 100_000;

const sqliteTypes = { number: "numeric", string: "text", date: "text" } as const;

/** Creates SQLite in the page with the samples, and returns what the mock calls for each statement. */
export async function createEngine(samples: readonly Sample[]): Promise<Execute> {
  const { Database } = await initSqlJs({ locateFile: () => new URL("./sqlite.wasm", import.meta.url).href });
  const database = new Database();
  for (const sample of samples) load(database, sample);
  database.run("pragma query_only = true");
  return ({ sql, parameters }) => {
    const statement = database.prepare(sql);
    try {
      if (parameters !== null) statement.bind(valuesOf(parameters));
      const rows: SqlValue[][] = [];
      while (rows.length < maxRows && statement.step()) rows.push(statement.get(null, { useBigInt: true }));
      return { columns: statement.getColumnNames().map((name, at) => columnOf(name, at, rows)), rows };
    } finally {
      statement.free();
    }
  };
}

function load(database: Database, { name, columns, rows }: Sample): void {
  const types = columns.map((column) => `${column.name} ${sqliteTypes[column.type]}`);
  database.run(`create table ${name} (${types.join(", ")})`);
  const marks = columns.map(() => "?").join(", ");
  database.run("begin");
  for (const row of rows) database.run(`insert into ${name} values (${marks})`, row);
  database.run("commit");
}

/** SQLite has no type for dates, so that of a column follows from its texts. */
function columnOf(name: string, at: number, rows: readonly SqlValue[][]) {
  const values = rows.map((row) => row[at]).filter((value) => value !== null);
  const isDate = values.length > 0 && values.every((value) => /^\d{4}-\d\d-\d\d$/.test(String(value)));
  return isDate ? ({ name, type: "date", engineType: "DATE" } as const) : name;
}

/** Returns the parameters as SQLite takes them; a named one is written `$name` in the statement. */
function valuesOf(parameters: NonNullable<Parameters<Execute>[0]["parameters"]>) {
  if (Array.isArray(parameters)) return parameters.map(sqlValueOf);
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [`$${name}`, sqlValueOf(value)]));
}

function sqlValueOf(value: unknown): SqlValue {
  if (value === null || typeof value === "number" || typeof value === "bigint" || typeof value === "string")
    return value;
  if (typeof value === "boolean") return Number(value);
  throw new TypeError("parameters: this page takes texts, numbers, booleans and NULL");
}
