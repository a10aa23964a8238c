import type { DuckDBConnection } from "@duckdb/node-api";
import type { FetchObjects } from "@quern/adapter";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { type Origin, originText, qualifiedName, SourceError, type TableLoad } from "../sources/origin.ts";
import { createTable, type Target } from "./engine.ts";
import { filesQuery, globsOf } from "./files.ts";
import { loadObjects } from "./objects.ts";

const loadedCatalog = "quern_loaded_file";

/**
 * Loads tables into a catalog. The tables of the previous load must have been dropped.
 * @param fetchObjects copies objects. @default no load can have them as its origin
 */
export async function loadTables(target: Target, load: TableLoad, fetchObjects?: FetchObjects): Promise<void> {
  const { origin, schema, table } = load;
  switch (origin.kind) {
    case "files": {
      const query = await filesQuery(target.connection, await globsOf(origin.path), origin);
      return createTable(target, schema, table, query);
    }
    case "objects":
      return loadObjects(target, load, origin, fetchObjects);
    case "duckdb":
      return loadDuckDB(target, load, origin);
    case "postgres": {
      // The driver is imported only when it is needed.
      const { loadPostgres } = await import("./postgres.ts");
      return loadPostgres(target, load, origin);
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
