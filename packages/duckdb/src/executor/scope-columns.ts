import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName } from "../engine/quoting.ts";
import { refusedNames } from "./name-check.ts";
import type { Query, Relation } from "./query-scope.ts";

interface Table {
  readonly catalog: string;
  readonly schema: string;
  readonly name: string;
}

const tablesQuery = `SELECT database_name, schema_name, table_name FROM (
  SELECT database_name, schema_name, table_name FROM duckdb_tables() WHERE NOT internal UNION ALL
  SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal OR schema_name = 'information_schema')
  ORDER BY database_name <> current_database(), schema_name <> current_schema(), 1, 2, 3`;

/** Returns the tables and views that statements can name, those of the default schema first. */
export async function namedTables(connection: DuckDBConnection): Promise<readonly Table[]> {
  const rows = (await connection.runAndReadAll(tablesQuery)).getRows();
  return rows
    .map(([catalog, schema, name]) => ({ catalog: String(catalog), schema: String(schema), name: String(name) }))
    .filter(({ name }) => !refusedNames.has(name.toLowerCase()));
}

/** Schema of a table whose name has only a catalog. */
export const mainSchema = "main";

export function isSame(a: string | undefined, b: string): boolean {
  return a?.toLowerCase() === b.toLowerCase();
}

/** Finds a table by `[[catalog.]schema.]name` or `catalog.name`. */
function tableOf(tables: readonly Table[], path: readonly string[]): Table | undefined {
  const [name = "", schema, catalog] = path.toReversed();
  return tables.find(
    (table) =>
      isSame(table.name, name) &&
      (schema === undefined ||
        (isSame(table.schema, schema) && (catalog === undefined || isSame(table.catalog, catalog))) ||
        (catalog === undefined && isSame(table.catalog, schema) && table.schema === mainSchema)),
  );
}

/** Most relations that are read for one completion. */
const maxRelations = 50;

/** Returns a function that reads the columns of a relation of queries. It returns undefined if they are not known. */
export function columnReader(connection: DuckDBConnection, tables: readonly Table[]) {
  let left = maxRelations;

  async function ofTable(path: readonly string[]): Promise<readonly string[] | undefined> {
    const found = tableOf(tables, path);
    if (found === undefined) return undefined;
    try {
      const prepared = await connection.prepare(`SELECT * FROM ${quotedName(found.catalog, found.schema, found.name)}`);
      const names = Array.from({ length: prepared.columnCount }, (_, at) => prepared.columnName(at));
      prepared.destroySync();
      return names;
    } catch {
      return undefined; // a view on a table that no longer exists
    }
  }

  async function ofQuery(query: Query, outer: readonly Query[]): Promise<readonly string[] | undefined> {
    if (query.items === undefined) return undefined;
    const found: string[] = [];
    for (const { name, star } of query.items) {
      if (name !== undefined) found.push(name);
      for (const relation of star === undefined ? [] : query.relations)
        if (star === "" || isSame(star, relation.name)) {
          const columns = await ofRelation(relation, [query, ...outer]);
          if (columns === undefined) return undefined;
          found.push(...columns);
        }
    }
    return found;
  }

  async function ofRelation(relation: Relation, scope: readonly Query[]): Promise<readonly string[] | undefined> {
    left -= 1;
    if (left < 0) return undefined;
    const { path, query, columns } = relation;
    const [only, second] = path ?? [];
    const expression =
      only === undefined || second !== undefined
        ? undefined
        : scope.flatMap(({ expressions }) => expressions).find(({ name }) => isSame(only, name));
    const found =
      query !== undefined
        ? await ofQuery(query, scope)
        : expression !== undefined && expression !== relation
          ? await ofRelation(expression, scope)
          : path === undefined
            ? undefined
            : await ofTable(path);
    if (found === undefined) return columns.length > 0 ? columns : undefined;
    return [...columns, ...found.slice(columns.length)];
  }

  return { ofTable, ofRelation };
}
