import type { Instant } from "@quern/query-run/record";

/** What the users of one tenant may use. A missing member is the service's default, null is no limit. */
export interface TenantSettings {
  /** Runs that have not ended. */
  readonly maxUnfinishedRuns?: number | null;
  /** Runs that execute at once. */
  readonly maxRunningRuns?: number | null;
  /** HTTP requests of one key in a second. */
  readonly requestsPerSecond?: number | null;
  /** How many of them may come at once after a pause. */
  readonly requestBurst?: number | null;
  /** Seconds of execution that each user has in a calendar month (UTC). */
  readonly monthlyExecSeconds?: number | null;
}

export interface TenantRecord {
  readonly id: string;
  readonly createdAt: Instant;
  readonly settings: TenantSettings;
}

export interface TenantStore {
  tenant(id: string): Promise<TenantRecord | undefined>;
  all(): Promise<readonly TenantRecord[]>;
  /** Changes the settings that are given, and makes the tenant where there is none, at the time of the store's clock. */
  set(id: string, settings: TenantSettings): Promise<void>;
}
