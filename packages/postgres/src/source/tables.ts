import type { SourceTable, TableColumn } from "@quern/adapter";
import type { Client } from "pg";
import type { CatalogType } from "./catalog-type.ts";
import { sourceColumn } from "./columns.ts";
import { catalogTypes } from "./description.ts";

interface ColumnRow {
  readonly catalog: string;
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly oid: number;
  readonly mod: number;
  readonly nullable: boolean;
}

/** Lists the tables and views that the role may read, without those of PostgreSQL itself. */
export async function listTables(client: Client): Promise<readonly SourceTable[]> {
  const { rows } = await client.query<ColumnRow>(
    `SELECT current_database() AS catalog, n.nspname AS schema, c.relname AS table, a.attname AS name,
       a.atttypid::int8::int4 AS oid, a.atttypmod AS mod, NOT a.attnotnull AS nullable
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
       AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
       AND has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
     ORDER BY 2, 3, a.attnum`,
  );
  const types = await catalogTypes(
    client,
    rows.map(({ oid, mod }) => [oid, mod]),
  );
  const tables = new Map<string, SourceTable & { readonly columns: TableColumn[] }>();
  for (const [index, { catalog, schema, table, name, nullable }] of rows.entries()) {
    const key = JSON.stringify([schema, table]);
    const listed = tables.get(key) ?? { catalog, schema, name: table, columns: [] };
    const { kind, engineType } = sourceColumn(name, types[index] as CatalogType);
    listed.columns.push({ name, kind, engineType, nullable });
    tables.set(key, listed);
  }
  return [...tables.values()];
}
