import { accessSync, constants, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SourceFiles } from "@quern/adapter";
import {
  addToSource as addTo,
  type CheckedTable,
  checkSources as check,
  type ListedTable,
  type LoadedTables,
  type LoadRequest,
  listSources as list,
  listEngineSources,
  loadSource as load,
  removeFromSource as removeFrom,
  SourceError,
} from "@quern/duckdb/loading";
import { fetchObjects, openSources } from "../adapters/sources.ts";
import { connectSource as connect, type EngineSourceRequest } from "./engine-sources.ts";

export { engineOfAddress } from "../sources/built-in-engines.ts";
export { type CheckOptions, checkEngineSources, type EngineSourceRequest } from "./engine-sources.ts";
export { type CheckedTable, type ListedTable, type LoadedTables, type LoadRequest, SourceError };

/** Sources of a service: in its data directory, or in a bucket. */
export interface SourcesLocation {
  /** Path of the data directory. */
  readonly dataDir: string;
  /** Address of the bucket, as the setting `sources` has it. @default the data directory */
  readonly bucket?: string | undefined;
}

/** One source of a service. */
export interface SourceLocation extends SourcesLocation {
  readonly source: string;
}

/** Loads tables into a source, as `addToSource` of `@quern/duckdb/loading` does. @throws {SourceError} */
export function addToSource(location: SourceLocation, request: LoadRequest): Promise<LoadedTables> {
  return withFiles(location, (files) => addTo({ ...location, files, fetchObjects }, request));
}

/**
 * Adds a source of another engine to the data directory, or replaces one, after its adapter has checked it. Connects to
 * no engine. Without `runAs`, a source that is replaced keeps its own.
 * @throws {SourceError} if the package of the adapter is missing, the request is invalid, or the name is that of a source
 *   with loaded tables or of a DuckDB file
 */
export function connectSource(location: SourceLocation, request: EngineSourceRequest): Promise<void> {
  return withFiles(location, (files) => connect({ ...location, files }, request));
}

/** Loads tables again, as `loadSource` of `@quern/duckdb/loading` does. @throws {SourceError} */
export function loadSource(location: SourceLocation, tables?: readonly string[]): Promise<readonly LoadedTables[]> {
  return withFiles(location, (files) => load({ ...location, files, fetchObjects }, tables));
}

/** Removes tables or a source, as `removeFromSource` of `@quern/duckdb/loading` does. @throws {SourceError} */
export function removeFromSource(location: SourceLocation, tables?: readonly string[]): Promise<void> {
  return withFiles(location, (files) => removeFrom({ ...location, files }, tables));
}

/** Lists the tables of a source, or of all, and the sources of other engines. @throws {SourceError} */
export async function listSources(location: SourcesLocation, source?: string): Promise<readonly ListedTable[]> {
  const tables = await withFiles(location, (files) => list(files ?? location.dataDir, source));
  return [...tables, ...listEngineSources(location.dataDir, source)];
}

/** Reads all tables of a source, or of all. @throws {SourceError} */
export function checkSources(location: SourcesLocation, source?: string): Promise<readonly CheckedTable[]> {
  return withFiles(location, (files) => check(files ?? location.dataDir, source));
}

/** Opens the files in the bucket for one command, with copies in the temporary directory. */
async function withFiles<T>(
  { dataDir, bucket, source = "" }: SourcesLocation & { readonly source?: string },
  work: (files: SourceFiles | undefined) => Promise<T>,
): Promise<T> {
  if (bucket === undefined) {
    for (const path of [join(dataDir, "sources"), join(dataDir, "sources", source)])
      if (existsSync(path)) accessSync(path, constants.R_OK | constants.X_OK);
    return work(undefined);
  }
  const directory = await mkdtemp(join(tmpdir(), "quern-sources-"));
  try {
    const copies = { directory, maxBytes: Number.POSITIVE_INFINITY, isReadableForAll: false };
    const files = await described(openSources(bucket, copies));
    try {
      return await work(withDescribedErrors(files));
    } finally {
      await files.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns files whose errors the operator can read, such as those of a wrong access key. */
function withDescribedErrors(files: SourceFiles): SourceFiles {
  return {
    ...files,
    index: (known) => described(files.index(known)),
    replaceIndex: (before, text) => described(files.replaceIndex(before, text)),
    add: (name, path) => described(files.add(name, path)),
    open: (file) => described(files.open(file)),
  };
}

async function described<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    // An error with a code is of this machine, such as a full disk.
    throw error instanceof Error && !("code" in error) ? new SourceError(error.message, { cause: error }) : error;
  }
}
