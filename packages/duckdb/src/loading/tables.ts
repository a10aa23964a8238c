import type { DuckDBConnection } from "@duckdb/node-api";
import type { FetchObjects } from "@quern/adapter";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { type Origin, originText, qualifiedName, SourceError, type TableLoad } from "../sources/origin.ts";
import { createTable, type Target } from "./engine.ts";
import { filesOf } from "./files.ts";
import { loadFiles } from "./files-query.ts";
import { loadObjects } from "./objects.ts";
import type { LoadReport } from "./report.ts";

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

async function loadDuckDB(
  target: Target,
  { schema, table }: TableLoad,
  origin: Extract<Origin, { kind: "duckdb" }>,
): Promise<void> {
  const { connection, catalog } = target;
  await connection.run(`ATTACH ${quotedText(origin.path)} AS ${loadedCatalog} (READ_ONLY)`);
  try {
    if (origin.table === undefined)
      await connection.run(`COPY FROM DATABASE ${loadedCatalog} TO ${quotedName(catalog)}`);
    else {
      const from = quotedName(loadedCatalog, origin.schema ?? "main", origin.table);
      await createTable(target, schema, table, `SELECT * FROM ${from}`);
    }
  } finally {
    await connection.run(`DETACH ${loadedCatalog}`);
  }
}

async function tablesOf(connection: DuckDBConnection, catalog: string, schema: string): Promise<string[]> {
  const query = "SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name = $2";
  const reader = await connection.runAndReadAll(query, [catalog, schema]);
  return reader.getRows().map(([name]) => String(name));
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
