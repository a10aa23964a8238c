import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { type Origin, originText, qualifiedName, SourceError, type TableLoad } from "../sources/origin.ts";
import { createTable, type Target } from "./engine.ts";
import { filesQuery, globsOf } from "./files.ts";

const loadedCatalog = "quern_loaded_file";

/** Puts what a load brings into the catalog, in place of what it brought before. */
export async function loadTables(target: Target, load: TableLoad): Promise<void> {
  const { origin, schema, table } = load;
  switch (origin.kind) {
    case "files": {
      const query = await filesQuery(target.connection, await globsOf(origin.path), origin);
      return createTable(target, schema, table, query);
    }
    case "duckdb":
      return loadDuckDB(target, load, origin);
    case "postgres": {
      // The driver is loaded where a database is named, and not before.
      const { loadPostgres } = await import("./postgres.ts");
      return loadPostgres(target, load, origin);
    }
  }
}

/** Removes what a load has brought. */
export async function dropTables({ connection, catalog }: Target, { schema, table }: TableLoad): Promise<void> {
  if (schema === null) return; // the catalog goes as a whole
  if (table !== null) await connection.run(`DROP TABLE IF EXISTS ${quotedName(catalog, schema, table)}`);
  else if (schema !== "main") await connection.run(`DROP SCHEMA IF EXISTS ${quotedName(catalog, schema)} CASCADE`);
  else
    for (const name of await tablesOf(connection, catalog, schema))
      await connection.run(`DROP TABLE ${quotedName(catalog, schema, name)}`);
  // What is free now is filled again by what comes.
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

/** @throws {SourceError} when two loads would fill one place */
export function refuseOverlap(loads: readonly TableLoad[], added: TableLoad, source: string): void {
  const overlaps = (part: "schema" | "table", other: TableLoad): boolean =>
    other[part] === null || added[part] === null || other[part].toLowerCase() === added[part].toLowerCase();
  const other = loads.find(
    (load) =>
      load.catalog.toLowerCase() === added.catalog.toLowerCase() && overlaps("schema", load) && overlaps("table", load),
  );
  if (other === undefined) return;
  throw new SourceError(
    `source ${source} has ${qualifiedName(other)} already, from ${originText(other.origin)}; ` +
      "give the new one another name with --as, or load that one again with `quern sources load`",
  );
}
