/** What a user has used in a calendar month (UTC). */
export interface Usage {
  /** Time that the engine spent on their runs. */
  readonly execMs: number;
  /** Runs that executed, whatever came of them. */
  readonly runs: number;
  /** Rows of their results. */
  readonly rows: number;
  /** Bytes of the result pages and downloads that were sent to them. */
  readonly bytesRead: number;
}

export interface UserMonth {
  readonly tenantId: string;
  readonly userId: string;
  /** Such as `2026-11`. */
  readonly month: string;
}

export type UsageRecord = UserMonth & Usage;

export interface UsageStore {
  /** Adds to what is there, all of it as one change. */
  add(more: readonly UsageRecord[]): Promise<void>;
  of(user: UserMonth): Promise<Usage>;
  /** Of one month or of all, ordered by month, tenant and user. */
  all(month?: string): Promise<readonly UsageRecord[]>;
}
