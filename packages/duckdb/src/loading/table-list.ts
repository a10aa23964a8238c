import type { DuckDBConnection } from "@duckdb/node-api";
import type { IndexedTable } from "../sources/shared-manifest.ts";

/** Returns the tables and views of an attached catalog, by schema and name. */
export async function tablesOf(connection: DuckDBConnection, catalog: string): Promise<readonly IndexedTable[]> {
  const reader = await connection.runAndReadAll(
    `SELECT schema_name, table_name, estimated_size FROM duckdb_tables() WHERE database_name = $1
     UNION ALL SELECT schema_name, view_name, NULL FROM duckdb_views() WHERE database_name = $1 AND NOT internal
     ORDER BY 1, 2`,
    [catalog],
  );
  return reader.getRows().map(([schema, name, rows]) => ({
    schema: String(schema),
    name: String(name),
    rows: rows === null ? null : Number(rows),
  }));
}
