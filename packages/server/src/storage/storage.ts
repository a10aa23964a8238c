import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ResultStore, SettingStore, Store } from "@quern/adapter";
import { parquetRowCount } from "@quern/duckdb";
import type { DataDirectory } from "../common/data-directory.ts";
import type { Log } from "../common/log.ts";
import { createResultStore } from "../results/result-store.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../store/sqlite/store.ts";
import { loadAdapter } from "./adapter-package.ts";
import { checkAddress } from "./address.ts";

/** Settings of the store and the result store. */
export interface StorageOptions {
  /**
   * Store of runs, keys, tenants and usage: the address of a PostgreSQL database that several servers share, such as
   * `postgres://quern@db.example.com/quern`, which the package `@quern/postgres` serves; or a store of your own, which
   * the server closes. An address must not contain a password.
   * @default an SQLite file in the data directory
   */
  readonly store?: string | Store | undefined;
  /** Password of the store. @default the text in `storePasswordFile` */
  readonly storePassword?: string | undefined;
  /** File with the password of the store. @default no password */
  readonly storePasswordFile?: string | undefined;
  /**
   * Store of results: the address of a bucket that several servers share, such as `s3://bucket/prefix`, which the
   * package `@quern/s3` serves; or a result store of your own, which the server closes. A shared store needs one.
   * @default files in the data directory
   */
  readonly results?: string | ResultStore | undefined;
  /** Maximum size of the local copies of results in a bucket, in bytes. @default 10,000,000,000 */
  readonly maxResultCacheBytes?: number | undefined;
}

export const storageDefaults = { maxResultCacheBytes: 10_000_000_000 } as const;

/** Exports of `@quern/postgres`. */
interface StoreAdapter {
  createStore(options: {
    readonly url: string;
    readonly password?: string;
    readonly onError?: (message: string, error: unknown) => void;
  }): Promise<Store>;
}

/** Exports of `@quern/s3`. */
interface ResultStoreAdapter {
  createResultStore(options: {
    readonly url: string;
    /** Identity of the service, the same on all its servers. */
    readonly serviceId: string;
    readonly cacheDirectory: string;
    readonly maxCacheBytes: number;
    readonly isReadableForAll: boolean;
    readonly rowCountOf: (path: string) => Promise<number>;
    readonly onError?: (message: string, error: unknown) => void;
  }): Promise<ResultStore>;
}

/**
 * Opens the configured store, or an SQLite file.
 * @param embedded file and options of the SQLite store
 * @throws {Error} if the address is invalid, its package is missing, or the store cannot be opened
 */
export async function openStore(
  { store, storePassword, storePasswordFile }: StorageOptions,
  embedded: SqliteStoreOptions & { readonly path: string },
  log: Log,
): Promise<Store> {
  if (store === undefined) return openSqliteStore(embedded.path, embedded);
  if (typeof store !== "string") return store;
  checkAddress("store", store, {
    schemes: ["postgres:", "postgresql:"],
    example: "postgres://user@host/database",
    advice: "set it in the variable QUERN_STORE_PASSWORD, or in the file of the setting storePasswordFile",
  });
  const password = storePassword ?? (await passwordIn(storePasswordFile));
  const { createStore } = await loadAdapter<StoreAdapter>("store", "@quern/postgres", "createStore");
  return createStore({ url: store, ...(password !== undefined && { password }), onError: log.error });
}

async function passwordIn(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
    throw new Error(`Cannot read the password of the store: ${path}${code}; check the setting storePasswordFile.`);
  });
  return text.replace(/\r?\n$/, "");
}

/**
 * Opens the configured result store, or the files in the data directory.
 * @param isReadableForAll lets the processes of pages, which have users of their own, read the files
 * @throws {Error} if the address is invalid, its package is missing, the storage cannot be opened, or a shared store
 *   has no result store
 */
export async function openResults(
  { results, maxResultCacheBytes: maxCacheBytes = storageDefaults.maxResultCacheBytes }: StorageOptions,
  directory: Pick<DataDirectory, "results" | "resultCache">,
  isReadableForAll: boolean,
  settings: SettingStore,
  log: Log,
): Promise<ResultStore> {
  if (results === undefined) return createResultStore(directory.results, isReadableForAll);
  if (typeof results !== "string") return results;
  checkAddress("results", results, {
    schemes: ["s3:"],
    example: "s3://bucket/prefix",
    advice: "set the credentials in the variables of AWS, such as AWS_SECRET_ACCESS_KEY",
  });
  const { createResultStore: create } = await loadAdapter<ResultStoreAdapter>(
    "results",
    "@quern/s3",
    "createResultStore",
  );
  const cacheDirectory = directory.resultCache();
  const serviceId: string = JSON.parse(await settings.getOrCreate("resultStoreId", JSON.stringify(randomUUID())));
  const options = {
    serviceId,
    url: results,
    cacheDirectory,
    maxCacheBytes,
    isReadableForAll,
    rowCountOf: parquetRowCount,
  };
  return create({ ...options, onError: log.error });
}

/** Checks that servers of a shared store can read the results of each other. @throws {Error} */
export function requireSharedResults({ isShared }: Store, { results }: StorageOptions): void {
  if (isShared && results === undefined)
    throw new Error(
      "Missing setting results: servers of a shared store need results that all of them can read; set it, such as s3://bucket/prefix.",
    );
}
