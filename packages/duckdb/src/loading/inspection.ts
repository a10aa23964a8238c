import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName } from "../engine/quoting.ts";
import { dataDirectorySources } from "../sources/data-directory-sources.ts";
import { readManifest } from "../sources/manifest.ts";
import { originText, SourceError, type TableLoad } from "../sources/origin.ts";
import { attached, withEngine } from "./engine.ts";

/** Table of a source in the list of `quern sources list`. */
export interface ListedTable {
  readonly source: string;
  /** Qualified name in SQL: `catalog.schema.table`. */
  readonly table: string;
  /** Number of rows as the engine estimates it, without counting them; null for a view. */
  readonly rows: number | null;
  /** Origin of the table; null if the operator put the file into the data directory. */
  readonly from: string | null;
  /** Time of the last load (ISO 8601); null if `from` is null. */
  readonly loadedAt: string | null;
}

/** Table of a source after the check of `quern sources check`. */
export interface CheckedTable {
  readonly source: string;
  /** Qualified name in SQL; the path of the file if it cannot be opened. */
  readonly table: string;
  readonly rows: number | null;
  readonly ok: boolean;
  readonly problem: string | null;
}

interface SourceCatalog {
  readonly source: string;
  readonly catalog: string;
  readonly path: string;
  readonly loads: readonly TableLoad[];
}

interface EngineTable {
  readonly schema: string;
  readonly name: string;
  readonly rows: number | null;
}

/** Returns the tables of a source, or of all sources. @throws {SourceError} if a file cannot be read */
export async function listSources(dataDir: string, source?: string): Promise<readonly ListedTable[]> {
  return eachCatalog(dataDir, source, (connection, place) =>
    attached(connection, place.path, place.catalog, "READ_ONLY", async () => {
      const tables = await tablesOf(connection, place.catalog);
      return tables.map(({ schema, name, rows }) => {
        const load = loadOf(place, schema, name);
        const from = load === undefined ? null : originText(load.origin);
        const table = `${place.catalog}.${schema}.${name}`;
        return { source: place.source, table, rows, from, loadedAt: load?.loadedAt ?? null };
      });
    }),
  );
}

/** Reads all rows of each table of a source, or of all sources. A table that cannot be read has a `problem`. */
export async function checkSources(dataDir: string, source?: string): Promise<readonly CheckedTable[]> {
  return eachCatalog(dataDir, source, async (connection, place) => {
    const problemOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
    try {
      return await attached(connection, place.path, place.catalog, "READ_ONLY", async () => {
        const checked: CheckedTable[] = [];
        for (const { schema, name } of await tablesOf(connection, place.catalog)) {
          const table = `${place.catalog}.${schema}.${name}`;
          const { source } = place;
          try {
            const rows = await readWhole(connection, quotedName(place.catalog, schema, name));
            checked.push({ source, table, rows, ok: true, problem: null });
          } catch (error) {
            checked.push({ source, table, rows: null, ok: false, problem: problemOf(error) });
          }
        }
        return checked;
      });
    } catch (error) {
      return [{ source: place.source, table: place.path, rows: null, ok: false, problem: problemOf(error) }];
    }
  });
}

async function eachCatalog<T>(
  dataDir: string,
  source: string | undefined,
  inspect: (connection: DuckDBConnection, catalog: SourceCatalog) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (const catalog of catalogsOf(dataDir, source)) {
    // Each catalog has an engine of its own, because catalogs of two sources can have the same name.
    found.push(...(await withEngine(join(tmpdir(), `quern-sources-${process.pid}`), (one) => inspect(one, catalog))));
  }
  return found;
}

function catalogsOf(dataDir: string, source: string | undefined): readonly SourceCatalog[] {
  if (!existsSync(dataDir)) throw new SourceError(`No data directory: ${resolve(dataDir)}; check --data-dir`);
  return dataDirectorySources(dataDir)
    .filter(({ name, path }) => path !== undefined && (source === undefined || source === name))
    .flatMap(({ name, path = "" }) => {
      const manifest = readManifest(path);
      if (manifest === undefined) return [{ source: name, catalog: name, path, loads: [] }];
      const { catalogs, loads } = manifest;
      return catalogs.map(({ name: catalog, file }) => ({ source: name, catalog, path: join(path, file), loads }));
    });
}

async function tablesOf(connection: DuckDBConnection, catalog: string): Promise<readonly EngineTable[]> {
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

/** Reads every value, so that a damaged block is found. Returns the number of rows. */
async function readWhole(connection: DuckDBConnection, table: string): Promise<number> {
  const reader = await connection.runAndReadAll(`SELECT count(*), bit_xor(hash(t)) FROM ${table} AS t`);
  return Number(reader.getRows()[0]?.[0]);
}

function loadOf({ catalog, loads }: SourceCatalog, schema: string, table: string): TableLoad | undefined {
  return loads.find(
    (load) =>
      load.catalog === catalog &&
      (load.schema === null || load.schema === schema) &&
      (load.table === null || load.table === table),
  );
}
