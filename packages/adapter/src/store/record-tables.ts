import type { Instant, RequestRecord, RunRecord, StatementRecord } from "@quern/query-run/record";
import type { KeyRecord } from "./key-store.ts";
import type { TenantRecord, UsageRecord } from "./tenant-store.ts";

/** Text of a setting. */
export interface SettingRecord {
  readonly name: string;
  readonly text: string;
}

/** Single-use link that was used. */
export interface UsedLinkRecord {
  readonly id: string;
  readonly expiresAt: Instant;
}

/** Statement of a tenant. */
export interface TenantStatement extends StatementRecord {
  readonly tenantId: string;
}

/** Run with what the queue needs of it. Leases belong to servers, and are no part of it. */
export interface QueuedRun {
  readonly run: RunRecord;
  /** Maximum number of runs of its tenant that execute at the same time; null is no cap. */
  readonly maxRunningRuns: number | null;
  /** True for the run of its reuse key that requests join until it ends. */
  readonly isShareable: boolean;
}

/** Request with the caller who made it. */
export interface CallerRequest {
  readonly request: RequestRecord;
  /** Id of the key or token of the call; null without an idempotency key. */
  readonly apiKeyId: string | null;
  readonly withdrawnAt: Instant | null;
}

/** Last use of an idempotency key: by a request, or by a withdrawal before a request. */
export interface IdempotencyRecord {
  readonly apiKeyId: string;
  /** SHA-256 of the key, hexadecimal. */
  readonly keyHash: string;
  readonly createdAt: Instant;
  /** Null for a withdrawal. */
  readonly bodyHash: string | null;
  /** Null for a withdrawal. */
  readonly requestId: string | null;
}

/** Records of one kind, for their migration to another store. */
export interface RecordTable<T> {
  /** Reads all records in batches, so that memory is bounded. No other process changes the store meanwhile. */
  read(): AsyncIterable<readonly T[]>;
  /** Writes records in one transaction. A record that exists stays as it is, so that a batch can be written again. */
  write(records: readonly T[]): Promise<void>;
}

/**
 * All records of a store, in the order in which they are written, because later kinds refer to earlier ones. What a
 * store derives from them, such as the size of the results of a tenant, follows from `write`. Rates, named leases, the
 * views of links, uploads and the round-robin order of the queue are no records: they start anew.
 */
export interface RecordTables {
  readonly tenants: RecordTable<TenantRecord>;
  readonly keys: RecordTable<Omit<KeyRecord, "state">>;
  readonly settings: RecordTable<SettingRecord>;
  readonly usage: RecordTable<UsageRecord>;
  readonly usedLinks: RecordTable<UsedLinkRecord>;
  readonly statements: RecordTable<TenantStatement>;
  /** A run that is written while it executes has no lease, so it is reclaimed as a lost one. */
  readonly runs: RecordTable<QueuedRun>;
  /** Read in the order in which they were made. */
  readonly requests: RecordTable<CallerRequest>;
  readonly idempotencyKeys: RecordTable<IdempotencyRecord>;
}

export type RecordKind = keyof RecordTables;
