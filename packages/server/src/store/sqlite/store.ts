import type { Store } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import { openDatabase } from "./database.ts";
import { createCommits } from "./group-commit.ts";
import { createSqliteKeyStore } from "./key-store.ts";
import { createNotices } from "./notices.ts";
import { endLeases } from "./queue.ts";
import { createSqliteRunCounts } from "./run-counts.ts";
import { createSqliteRunStore } from "./run-store.ts";
import { createSqliteSettingStore } from "./setting-store.ts";
import { createSqliteTenantStore } from "./tenant-store.ts";
import { createSqliteUsageStore } from "./usage-store.ts";

export interface SqliteStoreOptions {
  /** Clock of the store. @default that of the machine */
  readonly clock?: { now(): Instant };
  /**
   * Whether the caller alone works on the runs of the file from now on: leases of earlier owners are over at once.
   * @default false
   */
  readonly soleWorker?: boolean;
  /** How long a statement waits for another process that has the database; its own does nothing meanwhile. @default 5,000 */
  readonly busyMs?: number;
}

/**
 * Opens the embedded store: one server owns the file, and every change is a transaction of it. Subscribers hear of the
 * changes that are made by this store, not of those of another process.
 * @throws when a newer version of the service has written the file
 */
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  const { clock = { now: Date.now }, soleWorker = false, busyMs } = options;
  const database = openDatabase(path, busyMs, soleWorker ? endLeases : undefined);
  const notices = createNotices(createCommits(database));
  const now = (): Instant => clock.now();
  return {
    runs: createSqliteRunStore(database, notices, now),
    keys: createSqliteKeyStore(database, now),
    tenants: createSqliteTenantStore(database, now),
    usage: createSqliteUsageStore(database),
    settings: createSqliteSettingStore(database),
    counts: createSqliteRunCounts(database),
    now: async () => now(),
    subscribe: notices.subscribe,
    close: async () => database.close(),
  };
}
