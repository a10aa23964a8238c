import type { Instant } from "@quern/query-run/record";

/** What a key may do: make runs, read them and their results, cancel them, and all that for the whole tenant. */
export type Scope = "run" | "read" | "cancel" | "tenant:admin";

/** An API key as it is kept: never the key itself. */
export interface KeyRecord {
  readonly id: string;
  /** SHA-256 of the key. */
  readonly hash: Uint8Array;
  readonly lastFour: string;
  /** `environment` keys follow a variable: setting another one revokes them. `issued` ones are an operator's. */
  readonly origin: "environment" | "generated" | "issued";
  readonly tenantId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** The data sources it may query; null is all. */
  readonly sources: readonly string[] | null;
  /** The web origins it may come from, where it comes from a browser; null is all. */
  readonly origins: readonly string[] | null;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** Whether it was revoked only because the environment named another key, so that its return makes it good again. */
  readonly replaced: boolean;
  /** To the minute, at most. */
  readonly lastUsedAt: Instant | null;
  /** `active` keys are good; the store's clock says which have expired. */
  readonly state: "active" | "expired" | "revoked";
}

/** Key that is added: the store knows the rest. */
export type NewKeyRecord = Omit<KeyRecord, "createdAt" | "revokedAt" | "replaced" | "lastUsedAt" | "state">;

/** API keys. What happens to a key happens at the time of the store's clock. */
export interface KeyStore {
  byHash(hash: Uint8Array): Promise<KeyRecord | undefined>;
  /** The oldest first. */
  all(): Promise<readonly KeyRecord[]>;
  add(key: NewKeyRecord): Promise<void>;
  /** Ends a key for good. */
  revoke(id: string): Promise<void>;
  /** Ends a key until it is restored. */
  replace(id: string): Promise<void>;
  /** Makes a key good that was replaced; a revoked one stays so. */
  restore(id: string): Promise<void>;
  /** Ends a key in `ms` milliseconds, unless it ends before. */
  expire(id: string, ms: number): Promise<void>;
  /** Records that a key was used. */
  used(id: string): Promise<void>;
}
