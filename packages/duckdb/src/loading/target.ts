import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName } from "../engine/quoting.ts";

/** The catalog into which tables are loaded, attached to the connection. */
export interface Target {
  readonly connection: DuckDBConnection;
  readonly catalog: string;
  /** For files that are needed until the load has ended. */
  readonly workDirectory: string;
}

export async function createTable(
  { connection, catalog }: Target,
  schema: string | null,
  table: string | null,
  query: string,
): Promise<void> {
  if (schema === null || table === null) throw new Error("a table has a schema and a name");
  await connection.run(`CREATE SCHEMA IF NOT EXISTS ${quotedName(catalog, schema)}`);
  await connection.run(`CREATE TABLE ${quotedName(catalog, schema, table)} AS ${query}`);
}
