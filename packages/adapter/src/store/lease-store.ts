import type { Lease } from "./run-store.ts";

/**
 * Leases by name, which all servers of a store share: a semaphore for several owners, or a lock for one. An owner that
 * ends without a release keeps its place until the lease ends by the store's clock.
 */
export interface LeaseStore {
  /**
   * Takes one of the `limit` places of a name, or renews the place that the owner has. Returns false if other owners
   * have all places.
   */
  take(name: string, limit: number, lease: Lease): Promise<boolean>;
  /** Releases the place of an owner. Does nothing if the owner has none. */
  release(name: string, owner: string): Promise<void>;
}
