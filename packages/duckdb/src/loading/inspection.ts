import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { OpenedFile, SourceConfiguration, SourceFiles } from "@quern/adapter";
import { quotedName } from "../engine/quoting.ts";
import { dataDirectorySources, engineSourcesOf } from "../sources/data-directory-sources.ts";
import { readManifest } from "../sources/manifest.ts";
import { originText, SourceError, type TableLoad } from "../sources/origin.ts";
import { readSources } from "../sources/shared-index.ts";
import type { IndexedTable } from "../sources/shared-manifest.ts";
import { attached, withEngine } from "./engine.ts";
import { tablesOf } from "./table-list.ts";

/** Table of a source in the list of `quern sources list`. */
export interface ListedTable {
  readonly source: string;
  /** Qualified name in SQL: `catalog.schema.table`. Null for a source of another engine, which is queried in place. */
  readonly table: string | null;
  /** Number of rows as the engine estimates it, without counting them; null for a view or another engine. */
  readonly rows: number | null;
  /** Origin of the table; address or path of another engine; null if the operator put the file into the data directory. */
  readonly from: string | null;
  /** Time of the last load (ISO 8601); null if `from` is null, and for another engine. */
  readonly loadedAt: string | null;
}

/** Table of a source after the check of `quern sources check`. */
export interface CheckedTable {
  readonly source: string;
  /**
   * Qualified name in SQL. If the file cannot be opened, its path, or its name in a shared storage; for another engine,
   * the statement of the check.
   */
  readonly table: string;
  readonly rows: number | null;
  readonly ok: boolean;
  readonly problem: string | null;
}

interface SourceCatalog {
  readonly source: string;
  readonly catalog: string;
  readonly loads: readonly TableLoad[];
  /** Tables, if they are known without the file. */
  readonly tables?: readonly IndexedTable[];
  /** Name of the file, for messages. */
  readonly file: string;
  /** Opens the file. @throws {Error} if it is missing or damaged */
  open(): Promise<OpenedFile>;
}

/** Sources of a data directory, or of a shared storage. */
export type SourcesLocation = string | SourceFiles;

/** Returns the tables of a source, or of all sources. @throws {SourceError} if a file cannot be read */
export async function listSources(location: SourcesLocation, source?: string): Promise<readonly ListedTable[]> {
  return eachCatalog(location, source, async (connection, place) => {
    const tables = place.tables ?? (await opened(connection, place, () => tablesOf(connection, place.catalog)));
    return tables.map(({ schema, name, rows }) => {
      const load = loadOf(place, schema, name);
      const from = load === undefined ? null : originText(load.origin);
      const table = `${place.catalog}.${schema}.${name}`;
      return { source: place.source, table, rows, from, loadedAt: load?.loadedAt ?? null };
    });
  });
}

/** Lists a source, or all sources, of other engines in a data directory. Their tables are not known. */
export function listEngineSources(dataDir: string, source?: string): readonly ListedTable[] {
  return engineSourcesOf(dataDir, source).map(({ name, address, path }) => ({
    source: name,
    table: null,
    rows: null,
    from: address ?? path ?? null,
    loadedAt: null,
  }));
}

/** Reads all rows of each table of a source, or of all sources. A table that cannot be read has a `problem`. */
export async function checkSources(location: SourcesLocation, source?: string): Promise<readonly CheckedTable[]> {
  return eachCatalog(location, source, async (connection, place) => {
    const problemOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
    try {
      return await opened(connection, place, async () => {
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
      return [{ source: place.source, table: place.file, rows: null, ok: false, problem: problemOf(error) }];
    }
  });
}

async function eachCatalog<T>(
  location: SourcesLocation,
  source: string | undefined,
  inspect: (connection: DuckDBConnection, catalog: SourceCatalog) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = [];
  const catalogs = typeof location === "string" ? catalogsIn(location) : await sharedCatalogs(location);
  for (const catalog of catalogs) {
    if (source !== undefined && source !== catalog.source) continue;
    // Each catalog has an engine of its own, because catalogs of two sources can have the same name.
    found.push(...(await withEngine(join(tmpdir(), `quern-sources-${process.pid}`), (one) => inspect(one, catalog))));
  }
  return found;
}

/** Attaches the file of a catalog during `use`. */
async function opened<T>(connection: DuckDBConnection, place: SourceCatalog, use: () => Promise<T>): Promise<T> {
  const { path, release } = await place.open();
  try {
    return await attached(connection, path, place.catalog, "READ_ONLY", use);
  } finally {
    await release();
  }
}

function catalogsIn(dataDir: string): readonly SourceCatalog[] {
  if (!existsSync(dataDir)) throw new SourceError(`No data directory: ${resolve(dataDir)}; check --data-dir`);
  const fileAt = (path: string) => ({ file: path, open: async () => ({ path, release: async () => {} }) });
  return dataDirectorySources(dataDir).flatMap(({ name: source, path, kind = "duckdb" }) => {
    if (path === undefined || kind !== "duckdb") return [];
    const manifest = readManifest(path);
    if (manifest === undefined) return [{ source, catalog: source, loads: [], ...fileAt(path) }];
    const { catalogs, loads } = manifest;
    return catalogs.map(({ name: catalog, file }) => ({ source, catalog, loads, ...fileAt(join(path, file)) }));
  });
}

async function sharedCatalogs(files: SourceFiles): Promise<readonly SourceCatalog[]> {
  const { sources } = await readSources(files);
  return [...sources].flatMap(([source, { catalogs, loads }]) =>
    catalogs.map(({ name: catalog, file, tables }) => {
      const open = async (): Promise<OpenedFile> => {
        const copy = await files.open(file);
        if (copy === undefined) throw new SourceError(`Missing file: ${file.name} in ${files.address}`);
        return copy;
      };
      return { source, catalog, loads, tables, file: file.name, open };
    }),
  );
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
