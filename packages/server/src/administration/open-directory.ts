import { statSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import type { Store } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import type { StorageOptions } from "../adapters/storage-options.ts";
import { openStore } from "../adapters/store.ts";
import { makeDataDirectory } from "../common/data-directory.ts";
import { giveToOwner } from "../common/file-owner.ts";
import { standardErrorLog } from "../common/log.ts";
import { openSqliteStore } from "../sqlite/store.ts";
import { type AuditEvent, type AuditLog, openAuditLog } from "../telemetry/audit-log.ts";

/** Refused command of an operator; the message says what to do. */
export class AdministrationError extends Error {
  override readonly name = "AdministrationError";
}

/** Change that the store has, although a later step has failed, such as its line in the audit log. */
export class UnfinishedChangeError extends Error {
  override readonly name = "UnfinishedChangeError";
  /** Result of the command, such as a new key, which is shown only once. */
  readonly result: unknown;

  constructor(failure: string, cause: unknown, result: unknown) {
    super(`the change is stored, but ${failure}: ${messageOf(cause)}`, { cause });
    this.result = result;
  }
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
export interface OpenDirectory
  extends Pick<Store, "runs" | "keys" | "tenants" | "uploads" | "usage" | "settings" | "compact"> {
  /** Time of the store's clock when the directory was opened. */
  readonly now: Instant;
}

/** Store that an operator changes. */
export interface ChangedDirectory extends OpenDirectory {
  /** Records a change by an operator in the audit log. A failure is reported when the work has ended. */
  audit(change: Change): Promise<void>;
  /** Performs a step after the change was stored. A failure, such as "the old key is valid", is reported likewise. */
  finish(failure: string, step: () => unknown): Promise<void>;
}

/**
 * Opens the store of a service, calls `work` with it, and closes it afterwards.
 * @throws {AdministrationError} if there is no store, or a configured store cannot be opened
 * @throws EACCES if this user may not search the directory
 */
export async function inDataDirectory<T>(
  location: ServiceLocation,
  work: (directory: OpenDirectory) => Promise<T>,
): Promise<T> {
  const { store } = await openLocation(location, false);
  try {
    return await work({ ...store, now: await store.now() });
  } finally {
    await store.close();
  }
}

/**
 * Opens the store and the audit log of a service, calls `work` with them, and closes them afterwards. Nothing is changed
 * if the audit log cannot be written.
 * @param make creates the data directory and its store if they do not exist
 * @throws {AdministrationError} if there is no store and `make` is false, or a configured store or the audit log cannot
 *   be opened
 * @throws {UnfinishedChangeError} with the result of `work`, if a later step has failed
 */
export async function changeDataDirectory<T>(
  location: ServiceLocation,
  work: (directory: ChangedDirectory) => Promise<T>,
  { make = false }: { readonly make?: boolean } = {},
): Promise<T> {
  const { store, root } = await openLocation(location, make);
  let log: AuditLog | undefined;
  const failures: { readonly failure: string; readonly error: unknown }[] = [];
  const finish = async (failure: string, step: () => unknown): Promise<void> => {
    try {
      await step();
    } catch (error) {
      failures.push({ failure, error });
    }
  };
  const close = async (): Promise<void> => {
    log?.close();
    await store.close();
  };
  let result: T;
  try {
    const now = await store.now();
    const opened = openWritable(root);
    log = opened;
    const audit = (change: Change): Promise<void> => {
      const event = { keyId: null, address: "local", operator: operatorName(), ...change };
      return finish("its line is missing in the audit log", () => opened.record(event, now));
    };
    result = await work({ ...store, now, audit, finish });
  } catch (error) {
    await close();
    throw error;
  }
  await finish("the store could not be closed", close);
  const [first] = failures;
  if (first !== undefined) throw new UnfinishedChangeError(first.failure, first.error, result);
  return result;
}

/** Opens the audit log, and checks that this user can write it, before anything is changed. */
function openWritable(root: string): AuditLog {
  let log: AuditLog | undefined;
  try {
    log = openAuditLog(root);
    log.prepare();
    return log;
  } catch (error) {
    log?.close();
    throw new AdministrationError(
      `nothing was changed, because the audit log in ${root} cannot be written: ${messageOf(error)}; run the command as the user that owns its files, such as that of the service`,
      { cause: error },
    );
  }
}

/** Returns the name of this user, or its id if the machine has no name for it, as in some containers. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.geteuid?.()}`;
  }
}

async function openLocation(
  location: ServiceLocation,
  make: boolean,
): Promise<{ readonly store: Store; readonly root: string }> {
  const { dataDir, ...storage } = typeof location === "string" ? { dataDir: location } : location;
  const root = resolve(dataDir);
  const store = storage.store === undefined ? openEmbedded(root, make) : await openConfigured(storage, root);
  return { store, root };
}

function orRefuse<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new AdministrationError(messageOf(error).replace(/\.$/, ""), { cause: error });
  }
}

function openEmbedded(root: string, make: boolean): Store {
  const file = join(root, "quern.db");
  if (make) orRefuse(() => makeDataDirectory(root));
  else if (statSync(file, { throwIfNoEntry: false }) === undefined)
    throw new AdministrationError(
      `no data directory of Quern: ${root}; name the one that the service uses in --data-dir`,
    );
  const store = orRefuse(() => openSqliteStore(file));
  giveToOwner(file);
  return store;
}

async function openConfigured(storage: StorageOptions, root: string): Promise<Store> {
  try {
    return await openStore(storage, { path: join(root, "quern.db") }, standardErrorLog);
  } catch (error) {
    throw new AdministrationError(messageOf(error), { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
