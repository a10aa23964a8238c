import type { DuckDBConnection } from "@duckdb/node-api";
import type { SourceTable, TableColumn } from "@quern/adapter";
import { columnKind, engineTypeName } from "../engine/column-type.ts";
import { quotedName } from "../engine/quoting.ts";
import type { Database } from "../sources/held-data.ts";

const tablesQuery = `SELECT database_name, schema_name, table_name, coalesce(comment, ''), estimated_size::VARCHAR
  FROM duckdb_tables() WHERE NOT internal UNION ALL
  SELECT database_name, schema_name, view_name, coalesce(comment, ''), '' FROM duckdb_views() WHERE NOT internal ORDER BY ALL`;

const columnsQuery = `SELECT database_name, schema_name, table_name, column_name, is_nullable, coalesce(comment, '')
  FROM duckdb_columns() WHERE NOT internal AND (NOT is_nullable OR comment IS NOT NULL)`;

const keysQuery = `SELECT database_name, schema_name, table_name, unnest(constraint_column_names)
  FROM duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY'`;

/** Tells whether a column can be null, and its comment, by the names of the column as JSON. */
type ColumnNotes = ReadonlyMap<string, { readonly nullable: boolean; readonly comment: string }>;

/**
 * Returns the tables and views of databases. It prepares a statement on each one, which also yields the columns of
 * views.
 */
export async function sourceTables(
  connection: DuckDBConnection,
  databases: readonly Database[],
): Promise<readonly SourceTable[]> {
  const names = await textRows(connection, tablesQuery);
  const notes: ColumnNotes = new Map(
    (await textRows(connection, columnsQuery)).map(([catalog, schema, table, column, nullable, comment = ""]) => [
      JSON.stringify([catalog, schema, table, column]),
      { nullable: nullable === "true", comment },
    ]),
  );
  const keys = new Map<string, string[]>();
  for (const [catalog, schema, table, column = ""] of await textRows(connection, keysQuery)) {
    const key = JSON.stringify([catalog, schema, table]);
    keys.set(key, [...(keys.get(key) ?? []), column]);
  }
  const tables: SourceTable[] = [];
  for (const [catalog = "", schema = "", name = "", comment = "", rows = ""] of names) {
    if (!databases.some((database) => database.name === catalog)) continue;
    const primaryKey = keys.get(JSON.stringify([catalog, schema, name]));
    tables.push({
      catalog,
      schema,
      name,
      ...(comment !== "" && { comment }),
      columns: await columnsOf(connection, [catalog, schema, name], notes),
      ...(primaryKey !== undefined && { primaryKey }),
      ...(rows !== "" && { rowEstimate: Number(rows) }),
    });
  }
  return tables;
}

async function columnsOf(
  connection: DuckDBConnection,
  table: readonly string[],
  notes: ColumnNotes,
): Promise<readonly TableColumn[]> {
  try {
    const prepared = await connection.prepare(`SELECT * FROM ${quotedName(...table)}`);
    return Array.from({ length: prepared.columnCount }, (_, index) => {
      const [name, type] = [prepared.columnName(index), prepared.columnType(index)];
      const { nullable = true, comment = "" } = notes.get(JSON.stringify([...table, name])) ?? {};
      const engineType = engineTypeName(type);
      return { name, kind: columnKind(type), engineType, nullable, ...(comment !== "" && { comment }) };
    });
  } catch {
    return []; // a view on a table that no longer exists
  }
}

async function textRows(connection: DuckDBConnection, query: string): Promise<string[][]> {
  const reader = await connection.runAndReadAll(query);
  return reader.getRows().map((row) => row.map(String));
}
