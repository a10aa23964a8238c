import type { DuckDBConnection } from "@duckdb/node-api";
import type { SourceTable, TableColumn } from "@quern/adapter";
import { columnKind, engineTypeName } from "../engine/column-type.ts";
import { quotedName } from "../engine/quoting.ts";
import type { Database } from "../sources/held-data.ts";

const tablesQuery = `SELECT database_name, schema_name, table_name FROM duckdb_tables() WHERE NOT internal
  UNION ALL SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL`;

const requiredQuery = `SELECT database_name, schema_name, table_name, column_name FROM duckdb_columns()
  WHERE NOT internal AND NOT is_nullable`;

/** Returns the tables and views of databases. It prepares a statement on each one, which also yields the columns of views. */
export async function sourceTables(
  connection: DuckDBConnection,
  databases: readonly Database[],
): Promise<readonly SourceTable[]> {
  const names = await textRows(connection, tablesQuery);
  const required = new Set((await textRows(connection, requiredQuery)).map((column) => JSON.stringify(column)));
  const tables: SourceTable[] = [];
  for (const [catalog = "", schema = "", name = ""] of names) {
    if (!databases.some((database) => database.name === catalog)) continue;
    tables.push({ catalog, schema, name, columns: await columnsOf(connection, [catalog, schema, name], required) });
  }
  return tables;
}

async function columnsOf(
  connection: DuckDBConnection,
  table: readonly string[],
  required: ReadonlySet<string>,
): Promise<readonly TableColumn[]> {
  try {
    const prepared = await connection.prepare(`SELECT * FROM ${quotedName(...table)}`);
    return Array.from({ length: prepared.columnCount }, (_, index) => {
      const [name, type] = [prepared.columnName(index), prepared.columnType(index)];
      const nullable = !required.has(JSON.stringify([...table, name]));
      return { name, kind: columnKind(type), engineType: engineTypeName(type), nullable };
    });
  } catch {
    return []; // a view on a table that no longer exists
  }
}

async function textRows(connection: DuckDBConnection, query: string): Promise<string[][]> {
  const reader = await connection.runAndReadAll(query);
  return reader.getRows().map((row) => row.map(String));
}
