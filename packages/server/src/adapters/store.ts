import { readFile } from "node:fs/promises";
import type { Store } from "@quern/adapter";
import type { Log } from "../common/log.ts";
import { settingTable } from "../generated/settings.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../sqlite/store.ts";
import { loadAdapter } from "./adapter-package.ts";
import {
  checkStoreAddress,
  renewalMsOf,
  type StorageNames,
  type StorageOptions,
  settingNames,
} from "./storage-options.ts";

/** Exports of `@quern/postgres`. */
interface StoreAdapter {
  createStore(options: {
    readonly url: string;
    readonly password?: string;
    /** Setting or flag in which an operator sets the password, for messages. */
    readonly passwordPlace?: string;
    /** Milliseconds after a connection in which no run is reclaimed, so that its owner can renew the lease. */
    readonly reclaimDelayMs?: number;
    readonly onError?: (message: string, error: unknown) => void;
  }): Promise<Store>;
}

/**
 * Opens the configured store, or an SQLite file.
 * @param embedded file and options of the SQLite store
 * @param names settings or flags that name the store, for messages
 * @throws {Error} if the address is invalid, its package is missing, or the store cannot be opened
 */
export async function openStore(
  { store, storePassword, storePasswordFile, leaseSeconds = settingTable.leaseSeconds.default }: StorageOptions,
  embedded: SqliteStoreOptions & { readonly path: string },
  log: Log,
  names: StorageNames = settingNames,
): Promise<Store> {
  if (store === undefined) return openSqliteStore(embedded.path, embedded);
  if (typeof store !== "string") return store;
  checkStoreAddress(store, names);
  const password = storePassword ?? (await passwordIn(storePasswordFile, names));
  const { createStore } = await loadAdapter<StoreAdapter>(`the ${names.store}`, "@quern/postgres", "createStore");
  const reclaimDelayMs = renewalMsOf(leaseSeconds * 1_000);
  const secret = { ...(password !== undefined && { password }), passwordPlace: names.password };
  return createStore({ url: store, ...secret, reclaimDelayMs, onError: log.error });
}

async function passwordIn(path: string | undefined, { passwordFile }: StorageNames): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
    throw new Error(`Cannot read the password of the store: ${path}${code}; check the ${passwordFile}.`);
  });
  return text.replace(/\r?\n$/, "");
}
