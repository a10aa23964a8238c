import type { KeyStore, Store, TenantStore } from "@quern/adapter";

/** Largest number of cached records. Beyond it, the least recently read one is evicted. */
const maxRecords = 10_000;

/**
 * Returns a function that reads each record at most once in `maxAgeMs`, by a clock that is never set. Missing records
 * are read at each call, so that a new one is found at once.
 */
function cached<T>(read: (id: string) => Promise<T | undefined>, maxAgeMs: number): typeof read {
  const records = new Map<string, { readonly record: Promise<T | undefined>; readonly readAt: number }>();
  return (id) => {
    const now = performance.now();
    const known = records.get(id);
    if (known !== undefined && now - known.readAt < maxAgeMs) return known.record;
    const record = read(id);
    const forget = (): void => {
      if (records.get(id)?.record === record) records.delete(id);
    };
    record.then((found) => found ?? forget(), forget);
    // Deleted first, so that the map has the records in the order in which they were read.
    records.delete(id);
    records.set(id, { record, readAt: now });
    const [oldest] = records.keys();
    if (oldest !== undefined && records.size > maxRecords) records.delete(oldest);
    return record;
  };
}

/** Records that each call needs. */
export interface CallerRecords {
  readonly keys: KeyStore;
  readonly tenants: TenantStore;
}

/**
 * Caches the keys and the tenants of a shared store, which would otherwise be read over the network by each call. A
 * revocation or a new limit applies after `maxAgeMs` at the latest.
 */
export function cacheCallerRecords({ keys, tenants, isShared }: Store, maxAgeMs: number): CallerRecords {
  if (!isShared || maxAgeMs === 0) return { keys, tenants };
  const keyOf = cached((hash) => keys.byHash(Buffer.from(hash, "base64")), maxAgeMs);
  return {
    keys: { ...keys, byHash: (hash) => keyOf(Buffer.from(hash).toString("base64")) },
    tenants: { ...tenants, tenant: cached((id) => tenants.tenant(id), maxAgeMs) },
  };
}
