import { mkdirSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import type { Store } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import { ownerOnly } from "../common/data-directory.ts";
import { giveToOwner } from "../common/file-owner.ts";
import { standardErrorLog } from "../common/log.ts";
import type { StorageOptions } from "../storage/storage-options.ts";
import { openStore } from "../storage/store.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { type AuditEvent, openAuditLog } from "../telemetry/audit-log.ts";

/** Refused command of an operator; the message says what to do. */
export class AdministrationError extends Error {
  override readonly name = "AdministrationError";
}

type Change = Pick<AuditEvent, "action" | "tenantId" | "userId"> & Partial<AuditEvent>;

/**
 * Data directory of a service, with the settings of its store if it is not in the directory. The audit log is always in
 * the directory.
 */
export type ServiceLocation =
  | string
  | ({ readonly dataDir: string } & Pick<StorageOptions, "store" | "storePassword" | "storePasswordFile" | "results">);

/** Store of a data directory. A server may run on the directory at the same time. */
export interface OpenDirectory extends Pick<Store, "runs" | "keys" | "tenants" | "usage" | "settings" | "compact"> {
  /** Time of the store's clock when the directory was opened. */
  readonly now: Instant;
  /** Records a change by an operator in the audit log. */
  audit(change: Change): void;
}

/**
 * Opens the store of a service, calls `work` with it, and closes it afterwards.
 * @param make creates the data directory and its store if they do not exist
 * @throws {AdministrationError} if there is no store and `make` is false, or a configured store cannot be opened
 * @throws EACCES if this user may not search the directory
 */
export async function inDataDirectory<T>(
  location: ServiceLocation,
  work: (directory: OpenDirectory) => Promise<T>,
  { make = false }: { readonly make?: boolean } = {},
): Promise<T> {
  const { dataDir, ...storage } = typeof location === "string" ? { dataDir: location } : location;
  const root = resolve(dataDir);
  const store = storage.store === undefined ? openEmbedded(root, make) : await openConfigured(storage, root);
  try {
    const now = await store.now();
    const audit = (change: Change): void => {
      const log = openAuditLog(root);
      log.record({ keyId: null, address: "local", operator: userInfo().username, ...change }, now);
      log.close();
    };
    return await work({ ...store, now, audit });
  } finally {
    await store.close();
  }
}

function openEmbedded(root: string, make: boolean): Store {
  const file = join(root, "quern.db");
  if (make) mkdirSync(root, ownerOnly);
  else if (statSync(file, { throwIfNoEntry: false }) === undefined)
    throw new AdministrationError(
      `no data directory of Quern: ${root}; name the one that the service uses in --data-dir`,
    );
  const store = openSqliteStore(file);
  giveToOwner(file);
  return store;
}

async function openConfigured(storage: StorageOptions, root: string): Promise<Store> {
  try {
    return await openStore(storage, { path: join(root, "quern.db") }, standardErrorLog);
  } catch (error) {
    throw new AdministrationError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
