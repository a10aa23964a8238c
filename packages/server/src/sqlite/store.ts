import type { DatabaseSync } from "node:sqlite";
import type { FairSemaphore, SettingStore, Store } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import { createTokenBuckets } from "../common/token-buckets.ts";
import { compactDatabase, openDatabase } from "./database.ts";
import { type Commits, createCommits } from "./group-commit.ts";
import { createSqliteKeyStore } from "./key-store.ts";
import { createSqliteLinkStore } from "./link-store.ts";
import { createLogFlush, type LogFlush } from "./log-flush.ts";
import { createMemoryLeases } from "./named-lease-store.ts";
import { createNotices } from "./notices.ts";
import { endLeases, readLeaseOwners } from "./queue.ts";
import { afterFlush, createDirectReader } from "./reader.ts";
import { createSqliteRecords } from "./record-tables.ts";
import { createSqliteRunStore } from "./run-store.ts";
import { createSqliteTenantStore, createSqliteUsageStore } from "./tenant-store.ts";
import { createThreadReaders } from "./thread-reader.ts";
import { createSqliteUploadStore } from "./upload-store.ts";

export interface SqliteStoreOptions {
  /** Clock of the store. @default the clock of the machine */
  readonly clock?: { now(): Instant };
  /**
   * Ends the leases of earlier owners, for a caller that is the only one to execute runs of the file from now on.
   * @default false
   */
  readonly soleWorker?: boolean;
  /**
   * Milliseconds for which a statement waits for a lock of another process; the wait blocks the event loop.
   * @default 5,000
   */
  readonly busyMs?: number;
  /**
   * Called if the disk is too full for a change of runs; the change is retried if it returns true.
   * @default the change fails
   */
  readonly freeSpace?: () => boolean;
  /** Admits the tenants of long reads round-robin. @default all reads are performed in their order */
  readonly admission?: FairSemaphore;
}

/**
 * Opens the embedded store on an SQLite file. Each change is atomic. Subscribers are notified of changes by this store,
 * not of those by another process.
 * @throws if the file has another schema
 */
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  const { clock = { now: Date.now }, soleWorker = false, busyMs, freeSpace, admission } = options;
  const database = openDatabase(path, busyMs, soleWorker ? endLeases : undefined);
  const flush = flushOf(database);
  const notices = createNotices(createCommits(database, flush, freeSpace));
  const commits = createCommits(database, flush);
  const now = (): Instant => clock.now();
  // One server uses the file at a time, so its rates and named leases need not survive it.
  const take = createTokenBuckets({ now });
  const leases = createMemoryLeases(now);
  const reader = afterFlush(
    path === ":memory:" ? createDirectReader(database) : createThreadReaders(path, admission),
    flush,
  );
  return {
    isShared: false,
    runs: createSqliteRunStore(database, reader, notices, flush, now),
    keys: createSqliteKeyStore(database, commits, now),
    tenants: createSqliteTenantStore(database, commits, now),
    usage: createSqliteUsageStore(database, commits, reader),
    settings: createSqliteSettingStore(database, commits),
    links: createSqliteLinkStore(database, commits, now),
    uploads: createSqliteUploadStore(database, commits, now),
    rates: { take: async (key, rate) => take(key, rate) },
    leases,
    records: createSqliteRecords(database, commits),
    servers: async () => [...new Set([...leases.owners(), ...readLeaseOwners(database, now())])].sort(),
    counts: () => reader.read("", "counts"),
    async now() {
      if (flush.failure !== undefined) throw flush.failure;
      return now();
    },
    subscribe: notices.subscribe,
    compact: () => compactDatabase(database),
    async close() {
      await reader.close();
      await flush.close();
      database.close();
    },
  };
}

function flushOf(database: DatabaseSync): LogFlush {
  try {
    return createLogFlush(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function createSqliteSettingStore(database: DatabaseSync, commits: Commits): SettingStore {
  const one = database.prepare("SELECT value FROM settings WHERE name = ?");
  const create = database.prepare("INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING");
  const set = database.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  return {
    get: async (name) => {
      const row = one.get(name);
      return row && String(row.value);
    },
    getOrCreate: async (name, text) => {
      const kept = one.get(name);
      if (kept !== undefined) return String(kept.value);
      return commits.change(() => {
        create.run(name, text);
        return String(one.get(name)?.value);
      });
    },
    set: (name, text) => commits.change(() => void set.run(name, text)),
  };
}
