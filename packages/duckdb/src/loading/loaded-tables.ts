import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName } from "../engine/quoting.ts";
import type { TableLoad } from "../sources/origin.ts";
import type { Target } from "./engine.ts";

/** Drops the tables of a load. */
export async function dropTables({ connection, catalog }: Target, { schema, table }: TableLoad): Promise<void> {
  if (schema === null) return; // a load of a whole catalog replaces its file
  if (table !== null) await connection.run(`DROP TABLE IF EXISTS ${quotedName(catalog, schema, table)}`);
  else if (schema !== "main") await connection.run(`DROP SCHEMA IF EXISTS ${quotedName(catalog, schema)} CASCADE`);
  else
    for (const name of await tablesOf(connection, catalog, schema))
      await connection.run(`DROP TABLE ${quotedName(catalog, schema, name)}`);
  // A checkpoint frees the blocks of the dropped tables, so that new tables reuse them.
  await connection.run(`CHECKPOINT ${quotedName(catalog)}`);
}

/** Returns the numbers of tables, rows and columns of a load. */
export async function sizeOf(
  { connection, catalog }: Target,
  { schema, table }: TableLoad,
): Promise<{ readonly tables: number; readonly rows: number; readonly columns: number }> {
  const query = `SELECT schema_name, table_name, column_count FROM duckdb_tables()
    WHERE database_name = $1 AND ($2 IS NULL OR schema_name = $2) AND ($3 IS NULL OR table_name = $3)`;
  const found = (await connection.runAndReadAll(query, [catalog, schema, table])).getRows();
  let [rows, columns] = [0, 0];
  for (const [schemaName, name, count] of found) {
    const counted = `SELECT count(*)::DOUBLE FROM ${quotedName(catalog, String(schemaName), String(name))}`;
    rows += Number((await connection.runAndReadAll(counted)).getRows()[0]?.[0]);
    columns += Number(count);
  }
  return { tables: found.length, rows, columns };
}

async function tablesOf(connection: DuckDBConnection, catalog: string, schema: string): Promise<string[]> {
  const query = "SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name = $2";
  const reader = await connection.runAndReadAll(query, [catalog, schema]);
  return reader.getRows().map(([name]) => String(name));
}
