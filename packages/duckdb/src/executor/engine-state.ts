import { readdirSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";

/** Condition on objects that a statement could create. Databases of a source are attached as read-only. */
const isWritable = "database_name IN (SELECT database_name FROM duckdb_databases() WHERE NOT readonly)";

/** Parts of an engine that a statement could change for later ones, each as rows of text. */
const parts: Readonly<Record<string, string>> = {
  setting: "concat(name, '=', value) FROM duckdb_settings()",
  database: "concat(database_name, ' ', path, ' ', readonly) FROM duckdb_databases()",
  secret: "name FROM duckdb_secrets()",
  variable: "name FROM duckdb_variables()",
  "prepared statement": "name FROM duckdb_prepared_statements()",
  schema: `concat(database_name, '.', schema_name) FROM duckdb_schemas() WHERE NOT internal AND ${isWritable}`,
  table: `concat(database_name, '.', table_name) FROM duckdb_tables() WHERE ${isWritable}`,
  view: `concat(database_name, '.', view_name) FROM duckdb_views() WHERE NOT internal AND ${isWritable}`,
  sequence: `concat(database_name, '.', sequence_name) FROM duckdb_sequences() WHERE ${isWritable}`,
  type: `concat(database_name, '.', type_name) FROM duckdb_types() WHERE NOT internal AND ${isWritable}`,
};

const stateQuery = Object.entries(parts)
  .map(([kind, rows]) => `SELECT '${kind} ' || ${rows}`)
  .join("\nUNION ALL\n");

/** Describes the state that a statement on this connection would find, with the files of its process. */
export async function engineState(connection: DuckDBConnection, directory: string): Promise<string> {
  const rows = (await connection.runAndReadAll(stateQuery)).getRows();
  const files = readdirSync(directory, { recursive: true }).map((path) => `file ${path}`);
  return [...rows.map(String), ...files].sort().join("\n");
}

/**
 * Returns the functions and macros that a statement created for later ones. It is not a part of the state, because the
 * engine takes 15 ms to list its functions.
 */
export async function createdFunctions(connection: DuckDBConnection): Promise<readonly string[]> {
  const query = `SELECT function_name FROM duckdb_functions()
    WHERE NOT internal AND database_name <> 'temp' AND ${isWritable}`;
  return (await connection.runAndReadAll(query)).getRows().map(String);
}

/**
 * Returns a number that grows with each object that is created in any catalog of the engine, also with those that each
 * connection creates for itself.
 */
export async function catalogCounter(connection: DuckDBConnection): Promise<number> {
  const query = "SELECT oid FROM duckdb_schemas() WHERE database_name = 'temp' AND schema_name = 'main'";
  return Number((await connection.runAndReadAll(query)).getRows()[0]?.[0]);
}
