import type { Instant, RunRecord } from "@quern/query-run/record";
import type { KeyStore } from "./key-store.ts";
import type { LinkStore } from "./link-store.ts";
import type { NamedLeaseStore } from "./named-lease-store.ts";
import type { RateStore } from "./rate-store.ts";
import type { RecordTables } from "./record-tables.ts";
import type { RunStore } from "./run-store.ts";
import type { TenantStore, UsageStore } from "./tenant-store.ts";
import type { UploadStore } from "./upload-store.ts";

/** Number of unfinished runs in each state, and the age of the queue. */
export interface RunCounts {
  readonly ready: number;
  readonly running: number;
  readonly streaming: number;
  /** Time at which the oldest waiting run was created; null if none waits. */
  readonly oldestReadyAt: Instant | null;
}

/** Notice that a run was queued, for the first time or again, or that it has ended. */
export interface RunNotice {
  readonly runId: string;
  /** `QUERY_STATE_READY` or a final state. */
  readonly state: RunRecord["state"];
}

/** Small records of the service that all its servers share: JSON texts by name. */
export interface SettingStore {
  /** Returns the text of a setting; undefined if it has none. */
  get(name: string): Promise<string | undefined>;
  /**
   * Returns the text of a setting, or stores the given one if it has none. Concurrent callers all get the first text.
   */
  getOrCreate(name: string, text: string): Promise<string>;
  /** Sets the text of a setting. */
  set(name: string, text: string): Promise<void>;
}

/**
 * Records of a service. The clock of the store decides when a lease, a retention or an idempotency window ends, and how
 * old a result is. Asynchronous methods throw an `UnavailableError` while the system that has the records cannot be
 * reached.
 */
export interface Store {
  /** True if several servers can use the store at the same time. */
  readonly isShared: boolean;
  readonly runs: RunStore;
  readonly keys: KeyStore;
  readonly tenants: TenantStore;
  readonly usage: UsageStore;
  readonly settings: SettingStore;
  readonly links: LinkStore;
  readonly uploads: UploadStore;
  readonly rates: RateStore;
  readonly leases: NamedLeaseStore;
  /** Records of all kinds, for a migration to another store. */
  readonly records: RecordTables;
  /** Counts the unfinished runs of all tenants. Its cost does not depend on the number of runs that have ended. */
  counts(): Promise<RunCounts>;
  /**
   * Lists the owners of leases that have not ended, and possibly those whose leases have ended a short time ago. While
   * servers use the store, their leader is in the list; a server that executes no run and is not the leader may be
   * missing. One process at a time uses a store that is not shared, so its list can be ignored.
   */
  servers(): Promise<readonly string[]>;
  /** Returns the time by the store's clock. */
  now(): Promise<Instant>;
  /**
   * Calls the listener for each run that is queued or ends, once the change is durable, also by another server. A
   * notice of a shared store may be lost with a connection, so a subscriber must also poll from time to time.
   * @returns a function that ends the subscription
   */
  subscribe(listener: (notice: RunNotice) => void): () => void;
  /**
   * Rewrites the files of the store, so that they have no bytes of deleted records. Changes of other processes wait
   * meanwhile. A store on a database server only lets new records reuse the space, so bytes may remain for a time.
   */
  compact(): Promise<void>;
  close(): Promise<void>;
}
