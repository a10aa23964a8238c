import type { Instant } from "@quern/query-run/record";

/**
 * Permission of a key or token: `run` creates runs and inspects sources, `read` reads runs, statements and results,
 * `cancel` cancels runs. `tenant:admin` extends `read` and `cancel` to the runs of all users of the tenant.
 */
export type Scope = "run" | "read" | "cancel" | "tenant:admin";

/** Stored record of an API key. The key itself is not stored. */
export interface KeyRecord {
  readonly id: string;
  /** SHA-256 of the key. */
  readonly hash: Uint8Array;
  readonly lastFour: string;
  /**
   * `environment`: configured with QUERN_API_KEY or the option `apiKey`; `generated`: by a server that started without
   * an active key; `issued`: by an operator with `quern keys`.
   */
  readonly origin: "environment" | "generated" | "issued";
  readonly tenantId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** Data sources that the key may query; null is all. */
  readonly sources: readonly string[] | null;
  /** Web origins that the key may be used from in a browser; null is all. */
  readonly origins: readonly string[] | null;
  /** Networks in CIDR notation that the key may be used from; null is all. */
  readonly networks: readonly string[] | null;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /**
   * True for an `environment` key that another configured key replaced. Configuring the old key again restores it.
   */
  readonly replaced: boolean;
  /** Time of the last use, accurate to a minute. */
  readonly lastUsedAt: Instant | null;
  /** State by the clock of the store; only `active` keys are valid. */
  readonly state: "active" | "expired" | "revoked";
}

/** Key to add. The store sets the other members. */
export type NewKeyRecord = Omit<KeyRecord, "createdAt" | "revokedAt" | "replaced" | "lastUsedAt" | "state">;

/** Store of API keys. Changes have the time of the store's clock. */
export interface KeyStore {
  byHash(hash: Uint8Array): Promise<KeyRecord | undefined>;
  /** Lists all keys, the oldest first. */
  all(): Promise<readonly KeyRecord[]>;
  add(key: NewKeyRecord): Promise<void>;
  /** Revokes a key. A revoked key cannot be restored. */
  revoke(id: string): Promise<void>;
  /** Revokes a key until {@link restore}. Does nothing if the key is already revoked. */
  replace(id: string): Promise<void>;
  /** Restores a replaced key. A revoked one stays revoked. */
  restore(id: string): Promise<void>;
  /** Lets a key expire in `ms` milliseconds, unless it expires earlier. */
  expire(id: string, ms: number): Promise<void>;
  /** Sets the time of the last use of a key to now. */
  used(id: string): Promise<void>;
}
