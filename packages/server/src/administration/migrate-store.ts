import { isUnavailableError, type ResultStore, type Store } from "@quern/adapter";
import {
  adoptResults,
  checkedIdentity,
  nextIdentity,
  type ResultIdentity,
  resultAddress,
  resultIdentity,
} from "../adapters/result-identity.ts";
import { settingNames } from "../adapters/storage-options.ts";
import { type Closers, closeAll } from "../common/closers.ts";
import { checkTarget, compareStores, copyStore, finishMigration, MigrationError } from "../migration/migration.ts";
import type { MigrationReport, Progress } from "../migration/report.ts";
import { migrateResults, type ResultMigration } from "../migration/results.ts";
import { AdministrationError, type ServiceLocation } from "./open-directory.ts";
import {
  addressOf,
  isSame,
  type Locations,
  locationsOf,
  lockDirectories,
  type MigrationTarget,
  nameOf,
  openResultsAt,
  openStoreAt,
  refuseServers,
  type StorageLocation,
  targetFlags,
  workDirectory,
} from "./storage-locations.ts";

export interface StoreToMigrate {
  readonly source: ServiceLocation;
  readonly target: MigrationTarget;
  /** True compares the source and the target, and copies nothing. @default false */
  readonly check?: boolean | undefined;
  readonly onProgress?: Progress | undefined;
}

/**
 * Copies a store and its results to another location, and compares both by counts and hashes. No server may use them. A
 * call that was interrupted is continued by the next one. Records and results of the source stay.
 * @throws {AdministrationError} if the source does not exist, a server uses the source or the target, the target has
 *   records of something else, or a system cannot be reached
 */
export async function migrateStore({
  source,
  target,
  check = false,
  onProgress,
}: StoreToMigrate): Promise<MigrationReport> {
  const from = typeof source === "string" ? { dataDir: source } : source;
  const locations = locationsOf(from, target);
  const opened: Closers = [];
  const progress = onProgress ?? (() => {});
  try {
    const directories = lockDirectories(locations, opened, check);
    const work = await workDirectory(directories, opened);
    const sourceStore = await openStoreAt(locations.sourceStore, from, opened);
    const isMoved = !isSame(locations.sourceStore, locations.targetStore);
    const targetStore = isMoved ? await openStoreAt(locations.targetStore, target, opened, targetFlags) : sourceStore;
    await refuseServers([
      [sourceStore, locations.sourceStore],
      [targetStore, locations.targetStore],
    ]);
    const names = { from: nameOf(locations.sourceStore), to: nameOf(locations.targetStore) };
    const migration = { source: sourceStore, target: targetStore, ...names, isCheck: check, progress };
    if (isMoved && !check) await checkTarget(migration);
    // Opened before anything is copied, so that a wrong address leaves no half of a copy.
    const hasResults = !isSame(locations.sourceResults, locations.targetResults);
    const stores = { source: sourceStore, target: targetStore, isMoved, isCheck: check, work };
    const moved = hasResults ? await openMovedResults(locations, stores, opened) : undefined;
    if (isMoved && !check) await copyStore(migration);
    const copying = { records: sourceStore.records, work, isCheck: check, progress };
    const results = moved === undefined ? [] : [await migrateResults({ ...moved, ...copying })];
    const records = isMoved ? await compareStores(migration) : { kinds: [], differences: [] };
    const kinds = [...records.kinds, ...results];
    const isEqual = kinds.every((kind) => kind.isEqual);
    // A server that has started meanwhile could have changed what is compared.
    await refuseServers([
      [sourceStore, locations.sourceStore],
      [targetStore, locations.targetStore],
    ]);
    if (isEqual && !check) {
      if (hasResults) await adoptLocation(locations, targetStore);
      if (isMoved) await finishMigration(migration);
    }
    return {
      isEqual,
      kinds: kinds.map(({ kind, source, target, hash, isEqual }) => ({ kind, source, target, hash, isEqual })),
      differences: [...records.differences, ...results.flatMap(({ differences }) => differences)],
      missingResults: results.reduce((sum, { missingResults }) => sum + missingResults, 0),
    };
  } catch (error) {
    if (error instanceof MigrationError) throw new AdministrationError(error.message);
    if (isUnavailableError(error))
      throw new AdministrationError(`${error.message}; run the command again to continue`, { cause: error });
    throw error;
  } finally {
    await closeAll(opened);
  }
}

interface MovedStores {
  readonly source: Store;
  readonly target: Store;
  /** False if the store stays. */
  readonly isMoved: boolean;
  readonly isCheck: boolean;
  readonly work: string;
}

/** Opens the results of the source and of the target. Claims the bucket of the target, unless it is only compared. */
async function openMovedResults(
  { sourceResults, targetResults }: Locations,
  { source, target, isMoved, isCheck, work }: MovedStores,
  opened: Closers,
): Promise<Pick<ResultMigration, "source" | "target" | "stored">> {
  const address = addressOf(targetResults);
  const known = await resultAddress(target.settings);
  const sourceAddress = await resultAddress(source.settings);
  // The identity of a store that stays is already that of the target if the results have moved.
  const hasMoved = !isMoved && known === address;
  if (!hasMoved && addressOf(sourceResults) === undefined && sourceAddress !== undefined)
    throw new AdministrationError(
      `missing setting results: the source has its results in ${sourceAddress}; set it, such as with --config`,
    );
  const expected = hasMoved ? undefined : await checkedIdentity(source.settings);
  const claimed = async (): Promise<ResultIdentity> =>
    known === address ? resultIdentity(target.settings) : nextIdentity(target.settings);
  const open = (location: StorageLocation, identity: ResultIdentity | undefined): Promise<ResultStore> =>
    openResultsAt(location, { work, identity, names: location === targetResults ? targetFlags : settingNames }, opened);
  return {
    source: await open(sourceResults, expected),
    target: await open(targetResults, isCheck || address === undefined ? undefined : await claimed()),
    stored: await open(targetResults, undefined),
  };
}

/** Lets the store of the target use the moved results only. */
async function adoptLocation({ targetResults }: Locations, { settings }: Store): Promise<void> {
  const address = addressOf(targetResults);
  if ((await resultAddress(settings)) !== address) await adoptResults(settings, address);
}
