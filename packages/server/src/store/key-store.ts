import type { Instant } from "@quern/query-run/record";

/** An API key as it is kept: never the key itself. */
export interface KeyRecord {
  readonly id: string;
  /** SHA-256 of the key. */
  readonly hash: Uint8Array;
  readonly lastFour: string;
  /** `environment` keys follow a variable: setting another one revokes them. */
  readonly origin: "environment" | "generated";
  readonly tenantId: string;
  readonly userId: string;
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
}

export interface KeyStore {
  byHash(hash: Uint8Array): Promise<KeyRecord | undefined>;
  all(): Promise<readonly KeyRecord[]>;
  add(key: KeyRecord): Promise<void>;
  revoke(id: string, now: Instant): Promise<void>;
  restore(id: string): Promise<void>;
}
