import type { ResultStore, SettingStore, Store } from "@quern/adapter";
import { parquetRowCount } from "@quern/duckdb";
import type { DataDirectory } from "../common/data-directory.ts";
import { settingTable } from "../generated/settings.ts";
import { createResultStore } from "../results/result-store.ts";
import { loadAdapter } from "./adapter-package.ts";
import { type ResultIdentity, rememberAddress, resultIdentity } from "./result-identity.ts";
import { checkResultsAddress, type StorageNames, type StorageOptions, settingNames } from "./storage-options.ts";

/** Exports of `@quern/s3`. */
interface ResultStoreAdapter {
  createResultStore(options: {
    readonly url: string;
    /** Identity of the service, the same on all its servers. @default not checked */
    readonly serviceId?: string;
    /** Address that has the results. An empty bucket is then refused. */
    readonly previousUrl?: string | undefined;
    /** True writes the identity into an empty bucket. */
    readonly claims?: boolean;
    readonly cacheDirectory: string;
    readonly maxCacheBytes: number;
    readonly isReadableForAll: boolean;
    readonly rowCountOf: (path: string) => number | Promise<number>;
  }): Promise<ResultStore>;
}

type ResultDirectories = Pick<DataDirectory, "results" | "resultCache">;

/**
 * Opens the configured result store, or the files in the data directory.
 * @param isReadableForAll lets the processes of pages, which have users of their own, read the files
 * @param identity undefined accepts a bucket of any service
 * @param names settings or flags that name the results, for messages
 * @throws {Error} if the address is invalid, its package is missing, or the storage cannot be opened
 */
export async function openResults(
  options: StorageOptions,
  directory: ResultDirectories,
  isReadableForAll: boolean,
  identity: ResultIdentity | undefined,
  names: StorageNames = settingNames,
): Promise<ResultStore> {
  const { results, maxResultCacheBytes: maxCacheBytes = settingTable.maxResultCacheBytes.default } = options;
  if (results === undefined) return createResultStore(directory.results, isReadableForAll);
  if (typeof results !== "string") return results;
  checkResultsAddress(results, names);
  const { createResultStore: create } = await loadAdapter<ResultStoreAdapter>(
    `the ${names.results}`,
    "@quern/s3",
    "createResultStore",
  );
  const cacheDirectory = directory.resultCache();
  const caching = { cacheDirectory, maxCacheBytes, isReadableForAll, rowCountOf: parquetRowCount };
  return create({ url: results, ...identity, ...caching });
}

/**
 * Opens the results of a service, and lets its store remember their address.
 * @throws {Error} if the store knows that the results are in another location
 */
export async function openServiceResults(
  options: StorageOptions,
  directory: ResultDirectories,
  isReadableForAll: boolean,
  settings: SettingStore,
): Promise<ResultStore> {
  const { results } = options;
  if (typeof results === "object") return results;
  const identity = await resultIdentity(settings);
  requireKnownResults(options, identity);
  const opened = await openResults(options, directory, isReadableForAll, identity);
  if (results !== undefined && results !== identity.previousUrl) await rememberAddress(settings, results);
  return opened;
}

/** Checks that the results of a service are not searched in its data directory while a bucket has them. @throws {Error} */
function requireKnownResults({ results }: StorageOptions, { previousUrl }: Pick<ResultIdentity, "previousUrl">): void {
  if (results === undefined && previousUrl !== undefined)
    throw new Error(
      `Missing setting results: this service has its results in ${previousUrl}; set it, or move them to the data directory with quern migrate-store.`,
    );
}

/** Checks that a shared store has the setting `results`, because its servers must read the results of each other. @throws {Error} */
export function requireSharedResults({ isShared }: Store, { results }: StorageOptions): void {
  if (isShared && results === undefined)
    throw new Error(
      "Missing setting results: servers of a shared store need results that all of them can read; set it, such as s3://bucket/prefix.",
    );
}
