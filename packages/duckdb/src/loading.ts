import { existsSync } from "node:fs";
import { join } from "node:path";
import { changeSource, type Draft, removeSource } from "./loading/change.ts";
import { checkSourceName, type LoadRequest, parseLoadRequest } from "./loading/request.ts";
import { dropTables, loadTables, refuseOverlap } from "./loading/tables.ts";
import { readManifest } from "./sources/manifest.ts";
import { qualifiedName, SourceError, type TableLoad } from "./sources/origin.ts";

export { type CheckedTable, checkSources, type ListedTable, listSources } from "./loading/inspection.ts";
export type { LoadRequest } from "./loading/request.ts";
export { SourceError } from "./sources/origin.ts";

/** Source of a data directory. A server may use it at the same time. */
export interface SourceLocation {
  /** Path of the data directory. */
  readonly dataDir: string;
  /** Name of the source. */
  readonly source: string;
}

/**
 * Loads tables into a source, and creates the source if it does not exist. Statements that start later see the tables.
 * @returns the qualified name of the load, such as `shop.main.orders`
 * @throws {SourceError} if the request is invalid, a name is in use, the origin cannot be read, or another process
 * changes the source
 */
export async function addToSource({ dataDir, source }: SourceLocation, request: LoadRequest): Promise<string> {
  const folder = folderOf(dataDir, checkSourceName(source));
  if (existsSync(`${folder}.duckdb`))
    throw new SourceError(
      `Name of a source already in use: ${source} is the file ${folder}.duckdb; remove the file or choose another name`,
    );
  const requested = await parseLoadRequest(source, request, new Date().toISOString());
  let name = "";
  const add = async (draft: Draft): Promise<readonly TableLoad[]> => {
    const load = withKnownCase(requested, draft.loads, source);
    refuseOverlap(draft.loads, load, source);
    await fill(draft, load);
    name = qualifiedName(load);
    return [...draft.loads, load];
  };
  await changeSource(folder, add, request.runAs);
  return name;
}

/**
 * Loads tables again from their origins. Statements in progress continue to read the tables as they were.
 * @param tables Names of loads, as `addToSource` returns them. A name without its catalog or schema stands for the load
 *   in each of them. Tables that were loaded together have one name.
 *   @default all tables of the source
 * @returns the qualified names of the loads
 * @throws {SourceError} if the source or a table is unknown, its origin cannot be read, or another process changes the
 *   source
 */
export async function loadSource(
  { dataDir, source }: SourceLocation,
  tables: readonly string[] = [],
): Promise<readonly string[]> {
  const folder = existingFolder(dataDir, source);
  const loaded: string[] = [];
  await changeSource(folder, async (draft) => {
    const chosen = chosenLoads(source, draft.loads, tables);
    const after: TableLoad[] = [];
    for (const load of draft.loads) {
      if (!chosen.includes(load)) {
        after.push(load);
        continue;
      }
      const again = { ...load, loadedAt: new Date().toISOString() };
      await fill(draft, again);
      after.push(again);
      loaded.push(qualifiedName(again));
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
export async function removeFromSource(
  { dataDir, source }: SourceLocation,
  tables: readonly string[] = [],
): Promise<void> {
  const folder = existingFolder(dataDir, source);
  if (tables.length === 0) return removeSource(folder);
  await changeSource(folder, async (draft) => {
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

async function fill(draft: Draft, load: TableLoad): Promise<void> {
  await draft.change(load.catalog, load.schema === null ? "empty" : "copied", async (target) => {
    await dropTables(target, load);
    await loadTables(target, load);
  });
}

function folderOf(dataDir: string, source: string): string {
  return join(dataDir, "sources", source);
}

function existingFolder(dataDir: string, source: string): string {
  const folder = folderOf(dataDir, checkSourceName(source));
  if (readManifest(folder) !== undefined) return folder;
  if (existsSync(`${folder}.duckdb`))
    throw new SourceError(
      `Source not loaded by \`quern sources\`: ${source} is the file ${folder}.duckdb; replace or remove that file`,
    );
  throw new SourceError(`Unknown source: ${source} in ${dataDir}; list the sources with \`quern sources list\``);
}

/** Returns the loads with the given names. Each name may omit the catalog and the schema. */
function chosenLoads(source: string, loads: readonly TableLoad[], tables: readonly string[]): readonly TableLoad[] {
  if (loads.length === 0)
    throw new SourceError(`Unknown source: ${source} has just been removed; add it with \`quern sources add\``);
  if (tables.length === 0) return loads;
  return tables.flatMap((table) => {
    const named = loads.filter((load) => qualifiedName(load) === table || qualifiedName(load).endsWith(`.${table}`));
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
