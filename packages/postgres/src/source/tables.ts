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
  readonly comment: string | null;
  readonly tableComment: string | null;
  readonly primaryKey: readonly string[] | null;
  /** Negative for a table that was never analyzed, and null for a view. */
  readonly rowEstimate: number | null;
}

/** Lists the tables and views that the role may read, without those of PostgreSQL itself. */
export async function listTables(client: Client): Promise<readonly SourceTable[]> {
  const { rows } = await client.query<ColumnRow>(
    `SELECT current_database() AS catalog, n.nspname AS schema, c.relname AS table, a.attname AS name,
       a.atttypid::int8::int4 AS oid, a.atttypmod AS mod, NOT a.attnotnull AS nullable,
       col_description(c.oid, a.attnum) AS comment, obj_description(c.oid, 'pg_class') AS "tableComment",
       k.names AS "primaryKey", CASE WHEN c.relkind <> 'v' THEN c.reltuples::float8 END AS "rowEstimate"
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
       LEFT JOIN (
         SELECT p.conrelid, array_agg(part.attname::text ORDER BY array_position(p.conkey, part.attnum)) AS names
         FROM pg_constraint p JOIN pg_attribute part ON part.attrelid = p.conrelid AND part.attnum = ANY(p.conkey)
         WHERE p.contype = 'p' GROUP BY p.oid
       ) k ON k.conrelid = c.oid
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
  for (const [index, row] of rows.entries()) {
    const { schema, table, name, nullable, comment } = row;
    const key = JSON.stringify([schema, table]);
    const listed = tables.get(key) ?? { ...tableOf(row), columns: [] };
    const { kind, engineType } = sourceColumn(name, types[index] as CatalogType);
    listed.columns.push({ name, kind, engineType, nullable, ...(comment !== null && { comment }) });
    tables.set(key, listed);
  }
  return [...tables.values()];
}

function tableOf(row: ColumnRow): Omit<SourceTable, "columns"> {
  const { catalog, schema, table: name, tableComment: comment, primaryKey, rowEstimate } = row;
  return {
    catalog,
    schema,
    name,
    ...(comment !== null && { comment }),
    ...(primaryKey !== null && { primaryKey }),
    ...(rowEstimate !== null && rowEstimate >= 0 && { rowEstimate: Math.round(rowEstimate) }),
  };
}
