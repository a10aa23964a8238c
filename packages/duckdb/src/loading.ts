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

/** The data directory and the source that a change is about. A server may be using both. */
export interface SourceLocation {
  readonly dataDir: string;
  readonly source: string;
}

/**
 * Loads tables into a source, which is made where there is none. Queries see them from then on.
 * @throws {SourceError} with what the operator can mend
 */
export async function addToSource({ dataDir, source }: SourceLocation, request: LoadRequest): Promise<string> {
  const folder = folderOf(dataDir, checkSourceName(source));
  if (existsSync(`${folder}.duckdb`))
    throw new SourceError(`source ${source} is the file ${folder}.duckdb; take it away, or choose another name`);
  const asked = await parseLoadRequest(source, request, new Date().toISOString());
  let place = "";
  const add = async (draft: Draft): Promise<readonly TableLoad[]> => {
    const load = withKnownCase(asked, draft.loads, source);
    refuseOverlap(draft.loads, load, source);
    await fill(draft, load);
    place = qualifiedName(load);
    return [...draft.loads, load];
  };
  await changeSource(folder, add, request.runAs);
  return place;
}

/**
 * Loads tables again from where they came; all of the source where none is named. Queries that run keep the old ones.
 * @returns the places that were loaded
 * @throws {SourceError}
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
 * Removes tables of a source, or the source where none is named. Queries that run keep them to their end.
 * @throws {SourceError}
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
      throw new SourceError(`source ${source} has no other table; \`quern sources remove ${source}\` removes it`);
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
  if (existsSync(`${folder}.duckdb`)) throw new SourceError(`source ${source} is a file of your own: ${folder}.duckdb`);
  throw new SourceError(`there is no source ${source} in ${dataDir}; \`quern sources list\` names them`);
}

/** A table is named as in SQL; the parts before its name may be left out. */
function chosenLoads(source: string, loads: readonly TableLoad[], tables: readonly string[]): readonly TableLoad[] {
  if (loads.length === 0) throw new SourceError(`source ${source} has just been removed`);
  if (tables.length === 0) return loads;
  return tables.flatMap((table) => {
    const named = loads.filter((load) => qualifiedName(load) === table || qualifiedName(load).endsWith(`.${table}`));
    if (named.length > 0) return named;
    const known = loads.map(qualifiedName).join(", ");
    throw new SourceError(`source ${source} has no load ${table}; it has ${known}`);
  });
}

/** The engine takes names that differ in case for one: a load calls a catalog and a schema as those before it do. */
export function withKnownCase(load: TableLoad, loads: readonly TableLoad[], source: string): TableLoad {
  const catalog = known(load.catalog, [...loads.map((each) => each.catalog), source]);
  const schemas = loads.flatMap((each) => (each.catalog === catalog && each.schema) || []);
  return { ...load, catalog, schema: load.schema && known(load.schema, ["main", ...schemas]) };
}

function known(name: string, names: readonly string[]): string {
  return names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name;
}
