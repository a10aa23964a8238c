import type { Instant } from "@quern/query-run/record";

/** Limits of a tenant. For a missing member the limit of the server applies; null is no limit. */
export interface TenantSettings {
  /** Maximum number of unfinished runs. */
  readonly maxUnfinishedRuns?: number | null;
  /** Maximum number of runs that execute at the same time. */
  readonly maxRunningRuns?: number | null;
  /** Calls of a key per second; each call of a batch counts. */
  readonly requestsPerSecond?: number | null;
  /** Calls that a key may send at once after a pause. */
  readonly requestBurst?: number | null;
  /** Seconds of execution for each user in a calendar month (UTC). */
  readonly monthlyExecSeconds?: number | null;
  /** Bytes of stored results. */
  readonly maxStoredBytes?: number | null;
}

export interface TenantRecord {
  readonly id: string;
  readonly createdAt: Instant;
  readonly settings: TenantSettings;
}

/** Size of the results of a tenant that are not archived. */
export interface StoredBytes {
  readonly tenantId: string;
  readonly bytes: number;
}

export interface TenantStore {
  tenant(id: string): Promise<TenantRecord | undefined>;
  /** Lists all tenants, the oldest first. */
  all(): Promise<readonly TenantRecord[]>;
  /**
   * Merges settings into those of a tenant. Creates the tenant if it does not exist, at the time of the store's clock.
   */
  set(id: string, settings: TenantSettings): Promise<void>;
  /**
   * Returns the stored bytes of a tenant: its results that are not archived, its statements and uploads, and the parameters
   * and tags of its runs.
   */
  storedBytes(id: string): Promise<number>;
  /** Lists the tenants that have stored results, by id. */
  allStoredBytes(): Promise<readonly StoredBytes[]>;
}

/** Usage of a user in a calendar month (UTC). */
export interface Usage {
  /** Execution time of their runs, in milliseconds. */
  readonly execMs: number;
  /** Number of runs that executed, including runs that failed or were canceled. */
  readonly runs: number;
  /** Rows of the results of their runs. */
  readonly rows: number;
  /** Bytes of the result pages and downloads that they read. */
  readonly bytesRead: number;
}

/** User and month to which usage belongs. */
export interface UserMonth {
  readonly tenantId: string;
  readonly userId: string;
  /** Such as `2026-11`. */
  readonly month: string;
}

export type UsageRecord = UserMonth & Usage;

export interface UsageStore {
  /** Adds usage to the stored usage, in one change. */
  add(more: readonly UsageRecord[]): Promise<void>;
  /** Returns the usage of a user in a month; zeros if there is none. */
  get(user: UserMonth): Promise<Usage>;
  /** Lists the usage of the users of a tenant in a month, ordered by user. */
  ofTenant(tenantId: string, month: string): Promise<readonly UsageRecord[]>;
  /** Lists the usage of one month or of all, ordered by month, tenant and user. */
  all(month?: string): Promise<readonly UsageRecord[]>;
}
