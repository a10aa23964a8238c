import { randomUUID } from "node:crypto";
import type { ResultStore, SettingStore, Store } from "@quern/adapter";
import { parquetRowCount } from "@quern/duckdb";
import type { DataDirectory } from "../common/data-directory.ts";
import type { Log } from "../common/log.ts";
import { createResultStore } from "../results/result-store.ts";
import { loadAdapter } from "./adapter-package.ts";
import { checkResultsAddress, type StorageOptions, storageDefaults } from "./storage-options.ts";

/** Exports of `@quern/s3`. */
interface ResultStoreAdapter {
  createResultStore(options: {
    readonly url: string;
    /** Identity of the service, the same on all its servers. @default not checked */
    readonly serviceId?: string;
    readonly cacheDirectory: string;
    readonly maxCacheBytes: number;
    readonly isReadableForAll: boolean;
    readonly rowCountOf: (path: string) => Promise<number>;
    readonly onError?: (message: string, error: unknown) => void;
  }): Promise<ResultStore>;
}

/**
 * Opens the configured result store, or the files in the data directory.
 * @param isReadableForAll lets the processes of pages, which have users of their own, read the files
 * @param settings of the store, which have the identity of the service; undefined does not check it
 * @throws {Error} if the address is invalid, its package is missing, the storage cannot be opened, or a shared store
 *   has no result store
 */
export async function openResults(
  { results, maxResultCacheBytes: maxCacheBytes = storageDefaults.maxResultCacheBytes }: StorageOptions,
  directory: Pick<DataDirectory, "results" | "resultCache">,
  isReadableForAll: boolean,
  settings: SettingStore | undefined,
  log: Log,
): Promise<ResultStore> {
  if (results === undefined) return createResultStore(directory.results, isReadableForAll);
  if (typeof results !== "string") return results;
  checkResultsAddress(results);
  const { createResultStore: create } = await loadAdapter<ResultStoreAdapter>(
    "results",
    "@quern/s3",
    "createResultStore",
  );
  const cacheDirectory = directory.resultCache();
  const serviceId = settings && (await serviceIdIn(settings));
  const caching = { cacheDirectory, maxCacheBytes, isReadableForAll, rowCountOf: parquetRowCount };
  return create({ url: results, ...(serviceId !== undefined && { serviceId }), ...caching, onError: log.error });
}

/** Returns the identity of a service. A result store refuses the bucket of another service. */
async function serviceIdIn(settings: SettingStore): Promise<string> {
  const text = await settings.getOrCreate("resultStoreId", JSON.stringify(randomUUID()));
  return JSON.parse(text); // written by this function only
}

/** Checks that a shared store has the setting `results`, because its servers must read the results of each other. @throws {Error} */
export function requireSharedResults({ isShared }: Store, { results }: StorageOptions): void {
  if (isShared && results === undefined)
    throw new Error(
      "Missing setting results: servers of a shared store need results that all of them can read; set it, such as s3://bucket/prefix.",
    );
}
