import { dirname, join } from "node:path";
import type { FetchObjects, SourceFiles } from "@quern/adapter";
import { makeSources } from "./loading/change.ts";
import type { Draft } from "./loading/draft.ts";
import { folderPlace, refuseFile, type SourcePlace, withoutTables } from "./loading/folder-place.ts";
import { dropTables, sizeOf } from "./loading/loaded-tables.ts";
import type { LoadReport } from "./loading/report.ts";
import { checkSourceName, type LoadRequest, parseLoadRequest } from "./loading/request.ts";
import { sharedPlace } from "./loading/shared-place.ts";
import { loadTables, refuseOverlap } from "./loading/tables.ts";
import {
  type EngineSource,
  engineSourceEnding,
  readEngineSource,
  removeEngineSource,
  writeEngineSource,
} from "./sources/engine-source.ts";
import { readManifest } from "./sources/manifest.ts";
import { qualifiedName, SourceError, type TableLoad } from "./sources/origin.ts";
import { readSources } from "./sources/shared-index.ts";

export {
  type CheckedTable,
  checkSources,
  type ListedTable,
  listEngineSources,
  listSources,
  type SourcesLocation,
} from "./loading/inspection.ts";
export { makeDirectory } from "./loading/make-directory.ts";
export type { LoadRequest } from "./loading/request.ts";
export type { EngineSource } from "./sources/engine-source.ts";
export { SourceError } from "./sources/origin.ts";

/** Source of a data directory or of a shared storage. Servers may use it at the same time. */
export interface SourceLocation {
  /** Path of the data directory. */
  readonly dataDir: string;
  /** Shared storage of the sources. @default the data directory */
  readonly files?: SourceFiles | undefined;
  /** Name of the source. */
  readonly source: string;
  /** Copies objects for loads from object storage. @default no such loads */
  readonly fetchObjects?: FetchObjects | undefined;
}

/** Tables that were loaded together. */
export interface LoadedTables extends Partial<LoadReport> {
  /** Qualified name of the load, such as `shop.main.orders`. */
  readonly name: string;
  readonly tables: number;
  readonly rows: number;
  /** Columns of all tables. */
  readonly columns: number;
}

/**
 * Loads tables into a source, and creates the source if it does not exist. Statements that start later see the tables.
 * @throws {SourceError} if the request is invalid, a name is in use, the origin cannot be read, or another process
 * changes the source
 */
export async function addToSource(location: SourceLocation, request: LoadRequest): Promise<LoadedTables> {
  const { source, fetchObjects } = location;
  const place = placeOf(location);
  place.requireFree();
  const requested = await parseLoadRequest(source, request, new Date().toISOString());
  let loaded: LoadedTables | undefined;
  const add = async (draft: Draft): Promise<readonly TableLoad[]> => {
    const load = withKnownCase(requested, draft.loads, source);
    refuseOverlap(draft.loads, load, source);
    loaded = await fill(draft, load, fetchObjects);
    return [...draft.loads, load];
  };
  await place.change(add, request.runAs);
  if (loaded === undefined) throw new Error("Invalid change of a source: it has loaded no tables.");
  return loaded;
}

/**
 * Adds a source of another engine to the data directory, or changes one. It is queried in place. Statements that start
 * later use it. Without `runAs`, a source that exists keeps its own.
 * @param check called with the source, with its `runAs`, before it is stored; the source is not changed if it rejects
 * @throws {SourceError} if the name is invalid, or that of a source with loaded tables or of a DuckDB file
 */
export async function addEngineSource(
  { dataDir, source, files }: SourceLocation,
  added: EngineSource,
  check: (source: EngineSource) => Promise<void> = async () => {},
): Promise<void> {
  const folder = join(dataDir, "sources", checkSourceName(source));
  refuseFile(source, `${folder}.duckdb`);
  if (readManifest(folder) !== undefined) throw withTables(source, "");
  if (files !== undefined && (await readSources(files)).sources.has(source))
    throw withTables(source, ` in ${files.address}`);
  const file = `${folder}${engineSourceEnding}`;
  const runAs = added.runAs ?? readEngineSource(file)?.runAs;
  const complete = { ...added, ...(runAs && { runAs }) };
  await check(complete);
  await makeSources(dirname(folder));
  await writeEngineSource(file, complete);
}

/**
 * Loads tables again from their origins. Statements in progress continue to read the tables as they were.
 * @param tables Names of loads, as `addToSource` returns them. A name without its catalog or schema stands for the load
 *   in each of them. Tables that were loaded together have one name.
 *   @default all tables of the source
 * @throws {SourceError} if the source or a table is unknown, its origin cannot be read, or another process changes the
 *   source
 */
export async function loadSource(
  location: SourceLocation,
  tables: readonly string[] = [],
): Promise<readonly LoadedTables[]> {
  const { source, fetchObjects } = location;
  const place = placeOf(location);
  await place.requireExisting();
  const loaded: LoadedTables[] = [];
  await place.change(async (draft) => {
    const chosen = chosenLoads(source, draft.loads, tables);
    const after: TableLoad[] = [];
    for (const load of draft.loads) {
      if (!chosen.includes(load)) {
        after.push(load);
        continue;
      }
      const again = { ...load, loadedAt: new Date().toISOString() };
      loaded.push(await fill(draft, again, fetchObjects));
      after.push(again);
    }
    return after;
  });
  return loaded;
}

/**
 * Removes tables of a source, or the whole source. Statements in progress continue to read the tables.
 * @param tables Names of loads, as `addToSource` returns them. A name without its catalog or schema stands for the load
 *   in each of them. Tables that were loaded together have one name.
 *   @default the whole source
 * @throws {SourceError} if the source or a table is unknown, the source would have no table left, or another process
 *   changes the source
 */
export async function removeFromSource(location: SourceLocation, tables: readonly string[] = []): Promise<void> {
  const { source } = location;
  const file = engineFileOf(location);
  if (tables.length > 0 && readEngineSource(file) !== undefined) throw withoutTables(source);
  if (await removeEngineSource(file)) return;
  const place = placeOf(location);
  await place.requireExisting();
  if (tables.length === 0) return place.remove();
  await place.change(async (draft) => {
    const chosen = chosenLoads(source, draft.loads, tables);
    const left = draft.loads.filter((load) => !chosen.includes(load));
    if (left.length === 0)
      throw new SourceError(
        `Source without tables: ${source} would have no table left; remove the source with \`quern sources remove ${source}\``,
      );
    for (const load of chosen) {
      if (left.some(({ catalog }) => catalog === load.catalog))
        await draft.change(load.catalog, "copied", (target) => dropTables(target, load));
      else draft.removeCatalog(load.catalog);
    }
    return left;
  });
}

async function fill(draft: Draft, load: TableLoad, fetchObjects: FetchObjects | undefined): Promise<LoadedTables> {
  let loaded: LoadedTables | undefined;
  await draft.change(load.catalog, load.schema === null ? "empty" : "copied", async (target) => {
    await dropTables(target, load);
    const report = await loadTables(target, load, fetchObjects);
    loaded = { name: qualifiedName(load), ...(await sizeOf(target, load)), ...report };
  });
  if (loaded === undefined) throw new Error("Invalid change of a source: it has loaded no tables.");
  return loaded;
}

function placeOf(location: SourceLocation): SourcePlace {
  const { dataDir, files } = location;
  const source = checkSourceName(location.source);
  return files === undefined ? folderPlace(dataDir, source) : sharedPlace(files, source, engineFileOf(location));
}

/** @param place of the tables, for the message */
function withTables(source: string, place: string): SourceError {
  return new SourceError(
    `Name of a source already in use: ${source} has loaded tables${place}; remove them with \`quern sources remove ${source}\`, or choose another name`,
  );
}

/** Returns the file of a source of another engine, which is in the data directory in any case. */
function engineFileOf({ dataDir, source }: Pick<SourceLocation, "dataDir" | "source">): string {
  return join(dataDir, "sources", `${checkSourceName(source)}${engineSourceEnding}`);
}

/** Returns the loads with the given names. Each name may omit the catalog and the schema. */
function chosenLoads(source: string, loads: readonly TableLoad[], tables: readonly string[]): readonly TableLoad[] {
  if (loads.length === 0)
    throw new SourceError(`Unknown source: ${source} has just been removed; add it with \`quern sources add\``);
  if (tables.length === 0) return loads;
  return tables.flatMap((table) => {
    const wanted = `.${table.toLowerCase()}`;
    const named = loads.filter((load) => `.${qualifiedName(load).toLowerCase()}`.endsWith(wanted));
    if (named.length > 0) return named;
    const known = loads.map(qualifiedName).join(", ");
    throw new SourceError(`Unknown table of source ${source}: ${table}; use one of ${known}`);
  });
}

/** Gives the catalog and schema of a load the case that other loads use. Names of the engine are not case-sensitive. */
function withKnownCase(load: TableLoad, loads: readonly TableLoad[], source: string): TableLoad {
  const catalog = known(load.catalog, [...loads.map((each) => each.catalog), source]);
  const schemas = loads.flatMap((each) => (each.catalog === catalog && each.schema) || []);
  return { ...load, catalog, schema: load.schema && known(load.schema, ["main", ...schemas]) };
}

function known(name: string, names: readonly string[]): string {
  return names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name;
}
