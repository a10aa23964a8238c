import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ResultStore, Store } from "@quern/adapter";
import type { ResultIdentity } from "../adapters/result-identity.ts";
import { type StorageNames, type StorageOptions, settingNames } from "../adapters/storage-options.ts";
import { openStore } from "../adapters/store.ts";
import type { Closer } from "../common/closers.ts";
import { type DataDirectory, lockDataDirectory } from "../common/data-directory.ts";
import { giveToOwner } from "../common/file-owner.ts";
import { standardErrorLog } from "../common/log.ts";
import { AdministrationError, type ServiceLocation } from "./open-directory.ts";

/** Location to which a store moves. */
export interface MigrationTarget extends Pick<StorageOptions, "storePasswordFile"> {
  /** Data directory for what has no address. @default the store or the results without an address stay where they are */
  readonly dataDir?: string | undefined;
  /** Address of a shared store. */
  readonly store?: string | undefined;
  /** Address of a bucket. */
  readonly results?: string | undefined;
}

/** Location of a store or of results: the address, or the data directory that has it. */
export type StorageLocation = { readonly address: string } | { readonly dataDir: string };

/** Largest size of the local copies of results, in bytes. */
const maxCacheBytes = 1_000_000_000;

export interface ResultsAtOptions {
  /** Directory for local copies. */
  readonly work: string;
  /** Undefined neither checks nor claims the bucket. */
  readonly identity: ResultIdentity | undefined;
  /** Settings or flags that name the location, for messages. */
  readonly names: StorageNames;
}

export interface Locations {
  readonly sourceStore: StorageLocation;
  readonly sourceResults: StorageLocation;
  readonly targetStore: StorageLocation;
  readonly targetResults: StorageLocation;
}

/**
 * @param target undefined if nothing moves
 * @throws {AdministrationError} if the target is the source, or a shared store would have results that its servers do not share
 */
export function locationsOf(source: Exclude<ServiceLocation, string>, target?: MigrationTarget): Locations {
  const locationIn = (dataDir: string, address: unknown): StorageLocation =>
    typeof address === "string" ? { address } : { dataDir: resolve(dataDir) };
  const sourceStore = locationIn(source.dataDir, source.store);
  const sourceResults = locationIn(source.dataDir, source.results);
  const targetOf = (address: string | undefined, stays: StorageLocation): StorageLocation => {
    if (address !== undefined) return { address };
    return target?.dataDir === undefined ? stays : { dataDir: resolve(target.dataDir) };
  };
  const locations = {
    sourceStore,
    sourceResults,
    targetStore: targetOf(target?.store, sourceStore),
    targetResults: targetOf(target?.results, sourceResults),
  };
  if (
    target !== undefined &&
    isSame(sourceStore, locations.targetStore) &&
    isSame(sourceResults, locations.targetResults)
  )
    throw new AdministrationError(
      "the target is the source; name another one in --to-store, --to-results or --to-data-dir",
    );
  if ("address" in locations.targetStore && "dataDir" in locations.targetResults)
    throw new AdministrationError(
      `missing ${target === undefined ? "setting results" : "--to-results"}: servers of a shared store need results that all of them can read; name a bucket, such as s3://bucket/prefix`,
    );
  return locations;
}

export function isSame(one: StorageLocation, other: StorageLocation): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the address of a location; undefined for a data directory. */
export function addressOf(location: StorageLocation): string | undefined {
  return "address" in location ? location.address : undefined;
}

/** Flags of `quern migrate-store` that name the target, for messages. */
export const targetFlags: StorageNames = {
  store: "flag --to-store",
  results: "flag --to-results",
  passwordFile: "flag --to-store-password-file",
  password: "the file of the flag --to-store-password-file",
};

/** Returns the name of a location for messages, without the user and the parameters of an address. */
export function nameOf(location: StorageLocation): string {
  if ("dataDir" in location) return `the data directory ${location.dataDir}`;
  const { protocol, host, pathname } = new URL(location.address);
  return `${protocol}//${host}${pathname}`;
}

type Directories = ReadonlyMap<string, DataDirectory>;

/** Locks the data directories, so that no server uses them. Those of the target are created. */
export function lockDirectories(locations: Locations, opened: Closer[], isCheck: boolean): Directories {
  const { sourceStore, sourceResults, targetStore, targetResults } = locations;
  if ("dataDir" in sourceStore) requireStore(sourceStore.dataDir, "--data-dir");
  if (isCheck && "dataDir" in targetStore) requireStore(targetStore.dataDir, "--to-data-dir");
  const directories = new Map<string, DataDirectory>();
  for (const location of [targetResults, targetStore, sourceStore, sourceResults]) {
    if (!("dataDir" in location) || directories.has(location.dataDir)) continue;
    const directory = locked(location.dataDir);
    opened.push(() => directory.release());
    directories.set(location.dataDir, directory);
  }
  return directories;
}

function requireStore(dataDir: string, flag: string): void {
  if (statSync(join(dataDir, "quern.db"), { throwIfNoEntry: false }) === undefined)
    throw new AdministrationError(`no data directory of Quern: ${dataDir}; name the one of the service in ${flag}`);
}

function locked(dataDir: string): DataDirectory {
  try {
    return lockDataDirectory(dataDir);
  } catch (error) {
    throw new AdministrationError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Returns a directory for files, in the first data directory: that of the target, if it is one. */
export async function workDirectory(directories: Directories, opened: Closer[]): Promise<string> {
  const [directory] = directories.values();
  if (directory !== undefined) return directory.work;
  const work = await mkdtemp(join(tmpdir(), "quern-"));
  opened.push(() => rm(work, { recursive: true, force: true }));
  return work;
}

/** @param names settings or flags of the location, for messages */
export async function openStoreAt(
  location: StorageLocation,
  options: StorageOptions,
  opened: Closer[],
  names: StorageNames = settingNames,
): Promise<Store> {
  const path = "dataDir" in location ? join(location.dataDir, "quern.db") : "";
  try {
    const { storePassword, storePasswordFile } = options;
    const found = await openStore(
      { store: addressOf(location), storePassword, storePasswordFile },
      { path },
      standardErrorLog,
      names,
    );
    opened.push(() => found.close());
    if (path !== "") giveToOwner(path);
    return found;
  } catch (error) {
    throw new AdministrationError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Opens the results of a location with local copies of their own in a directory. */
export async function openResultsAt(
  location: StorageLocation,
  { work, identity, names }: ResultsAtOptions,
  opened: Closer[],
): Promise<ResultStore> {
  // Loaded on demand, since it loads the engine.
  const { openResults } = await import("../adapters/results.ts");
  const cache = await mkdtemp(join(work, "results-"));
  const directory = {
    results: "dataDir" in location ? join(location.dataDir, "results") : cache,
    resultCache: () => cache,
  };
  try {
    const options = { results: addressOf(location), maxResultCacheBytes: maxCacheBytes };
    const found = await openResults(options, directory, false, identity, names);
    opened.push(() => found.close());
    return found;
  } catch (error) {
    throw new AdministrationError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

export async function refuseServers(stores: readonly (readonly [Store, StorageLocation])[]): Promise<void> {
  for (const [store, location] of stores) {
    // The lock of a data directory keeps its server out.
    const servers = store.isShared ? await store.servers() : [];
    if (servers.length > 0)
      throw new AdministrationError(
        `servers use ${nameOf(location)}: ${servers.join(", ")}; stop them. The leases of servers that were killed end within a minute, or after leaseSeconds if that is longer`,
      );
  }
}
