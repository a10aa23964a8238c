import { readFile } from "node:fs/promises";
import type { Store } from "@quern/adapter";
import type { Log } from "../common/log.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../store/sqlite/store.ts";
import { loadAdapter } from "./adapter-package.ts";
import { checkStoreAddress, type StorageOptions } from "./storage-options.ts";

/** Exports of `@quern/postgres`. */
interface StoreAdapter {
  createStore(options: {
    readonly url: string;
    readonly password?: string;
    readonly onError?: (message: string, error: unknown) => void;
  }): Promise<Store>;
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
  checkStoreAddress(store);
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
