import type { DuckDBConnection } from "@duckdb/node-api";
import type { FetchObjects } from "@quern/adapter";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { type Origin, originText, qualifiedName, SourceError, type TableLoad } from "../sources/origin.ts";
import type { IndexedTable } from "../sources/shared-manifest.ts";
import { hasVariant } from "./column-types.ts";
import { refuseForeignViews } from "./database-views.ts";
import { createTable, type Target } from "./engine.ts";
import { filesOf } from "./files.ts";
import { loadFiles } from "./files-query.ts";
import { loadObjects } from "./objects.ts";
import type { LoadReport } from "./report.ts";
import { tablesOf } from "./table-list.ts";

const loadedCatalog = "quern_loaded_file";

/**
 * Loads tables into a catalog. The tables of the previous load must have been dropped.
 * @param fetchObjects copies objects. @default no load can have them as its origin
 * @returns a report on files
 */
export async function loadTables(
  target: Target,
  load: TableLoad,
  fetchObjects?: FetchObjects,
): Promise<LoadReport | undefined> {
  const { origin } = load;
  switch (origin.kind) {
    case "files":
      return loadFiles(target, load, await filesOf(origin.path), origin);
    case "objects":
      return loadObjects(target, load, origin, fetchObjects);
    case "duckdb":
      await loadDuckDB(target, load, origin);
      return undefined;
    case "postgres": {
      // The driver is imported only when it is needed.
      const { loadPostgres } = await import("./postgres.ts");
      await loadPostgres(target, load, origin);
      return undefined;
    }
  }
}

type DuckDBOrigin = Extract<Origin, { kind: "duckdb" }>;

async function loadDuckDB(target: Target, { schema, table }: TableLoad, origin: DuckDBOrigin): Promise<void> {
  const { connection } = target;
  if (origin.table === undefined) await refuseForeignViews(origin.path);
  await connection.run(`ATTACH ${quotedText(origin.path)} AS ${loadedCatalog} (READ_ONLY)`);
  try {
    await refuseVariants(connection, origin);
    if (origin.table === undefined) await copyDatabase(target, origin.path);
    else {
      const from = quotedName(loadedCatalog, origin.schema ?? "main", origin.table);
      await createTable(target, schema, table, `SELECT * FROM ${from}`);
    }
  } finally {
    await connection.run(`DETACH ${loadedCatalog}`);
  }
}

/** Copies all tables, also those with foreign keys, which the engine copies in an order that can violate them. */
async function copyDatabase({ connection, catalog }: Target, path: string): Promise<void> {
  const copy = `COPY FROM DATABASE ${loadedCatalog} TO ${quotedName(catalog)}`;
  const keys = "FROM duckdb_constraints() WHERE database_name = $1 AND constraint_type = 'FOREIGN KEY' LIMIT 1";
  const hasKeys = (await connection.runAndReadAll(keys, [loadedCatalog])).currentRowCount > 0;
  await connection.run(hasKeys ? `${copy} (SCHEMA)` : copy);
  if (!hasKeys) return;
  let left = (await tablesOf(connection, loadedCatalog)).filter(({ rows }) => rows !== null); // views have none
  while (left.length > 0) {
    const failed: typeof left = [];
    let fault: unknown;
    for (const table of left)
      await connection
        .run(
          `INSERT INTO ${quotedName(catalog, table.schema, table.name)} FROM ${quotedName(loadedCatalog, table.schema, table.name)}`,
        )
        .catch((error: unknown) => {
          failed.push(table);
          fault = error;
        });
    const [first] = failed;
    if (first !== undefined && failed.length === left.length) throw keyError(first, path, fault);
    left = failed;
  }
}

/** The engine compares the rows of a foreign key with those of earlier statements only. */
function keyError({ schema, name }: IndexedTable, path: string, fault: unknown): unknown {
  if (!/foreign key/i.test(String(fault))) return fault;
  const action = `load it alone with --table ${name} and --schema ${schema}, or drop its foreign key`;
  return new SourceError(`Table whose rows refer to rows of the same table: ${schema}.${name} of ${path}; ${action}`, {
    cause: fault,
  });
}

/** Refuses VARIANT columns, which the format of a source cannot have. @throws {SourceError} with the name of the first one */
async function refuseVariants(connection: DuckDBConnection, origin: DuckDBOrigin): Promise<void> {
  const reader = await connection.runAndReadAll(
    `SELECT c.schema_name, c.table_name, c.column_name, c.data_type FROM duckdb_columns() c JOIN duckdb_tables() t USING (database_name, table_oid)
     WHERE database_name = $1 AND ($2 IS NULL OR (c.schema_name = $3 AND c.table_name = $2)) ORDER BY ALL`,
    [loadedCatalog, origin.table ?? null, origin.schema ?? "main"],
  );
  for (const [schema, table, column, type] of reader.getRows().map((row) => row.map(String)))
    if (hasVariant(type ?? ""))
      throw new SourceError(
        `Unsupported type: the column ${column} of ${schema}.${table} of ${origin.path} has a VARIANT; store it as JSON in another table or file`,
      );
}

/** Refuses a load whose tables another load already has. @throws {SourceError} */
export function refuseOverlap(loads: readonly TableLoad[], added: TableLoad, source: string): void {
  const overlaps = (part: "schema" | "table", other: TableLoad): boolean =>
    other[part] === null || added[part] === null || other[part].toLowerCase() === added[part].toLowerCase();
  const other = loads.find(
    (load) =>
      load.catalog.toLowerCase() === added.catalog.toLowerCase() && overlaps("schema", load) && overlaps("table", load),
  );
  if (other === undefined) return;
  throw new SourceError(
    `Name already in use in source ${source}: ${qualifiedName(other)}, loaded from ${originText(other.origin)}; ` +
      "choose another name with --as, or load that table again with `quern sources load`",
  );
}
