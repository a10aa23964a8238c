import type { Lease } from "./run-store.ts";

/**
 * Leases by name, which all servers of a store share: a semaphore for several owners, or a lock for one. An owner that
 * ends without a release keeps its permit until the lease ends by the store's clock.
 */
export interface NamedLeaseStore {
  /**
   * Takes one of the `limit` permits of a name, or renews the permit that the owner has. Returns false if other owners
   * have all permits.
   */
  take(name: string, limit: number, lease: Lease): Promise<boolean>;
  /** Releases the permit of an owner. Does nothing if the owner has none. */
  release(name: string, owner: string): Promise<void>;
}
