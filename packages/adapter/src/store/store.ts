import type { Instant, RunRecord } from "@quern/query-run/record";
import type { KeyStore } from "./key-store.ts";
import type { RunStore } from "./run-store.ts";
import type { SettingStore } from "./setting-store.ts";
import type { TenantStore } from "./tenant-store.ts";
import type { UsageStore } from "./usage-store.ts";

/** Runs that have not ended, by their state. */
export interface RunCounts {
  readonly ready: number;
  readonly running: number;
  readonly streaming: number;
}

/** A run that was queued, at first or again, or that has ended. */
export interface RunNotice {
  readonly runId: string;
  /** `QUERY_STATE_READY` or a final state. */
  readonly state: RunRecord["state"];
}

/**
 * Records of a service. All times that decide are those of the store's clock: when a lease, a retention or an idempotency
 * window is over, and how old a result is.
 */
export interface Store {
  readonly runs: RunStore;
  readonly keys: KeyStore;
  readonly tenants: TenantStore;
  readonly usage: UsageStore;
  readonly settings: SettingStore;
  /** Counts the unfinished runs of all tenants. */
  counts(): Promise<RunCounts>;
  /** Returns the time by the store's clock. */
  now(): Promise<Instant>;
  /**
   * Calls the listener for each run that is queued or ends, whoever did it, once the change is durable. A notice may be
   * lost with a connection, so that a listener must also look by itself now and then.
   * @returns a function that ends the subscription
   */
  subscribe(listener: (notice: RunNotice) => void): () => void;
  close(): Promise<void>;
}
