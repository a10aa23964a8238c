import { randomUUID } from "node:crypto";
import { createFairSemaphore, type KeyStore, type Store } from "@quern/adapter";
import { requireSharedResults } from "./adapters/results.ts";
import { openStore as openConfiguredStore } from "./adapters/store.ts";
import type { Clock } from "./common/clock.ts";
import type { Closers } from "./common/closers.ts";
import type { Log } from "./common/log.ts";
import type { ServerOptions } from "./configuration/options.ts";
import { diskBytes } from "./disk/disk-space.ts";
import type { Reserve } from "./disk/reserve.ts";
import { settingTable } from "./generated/settings.ts";
import { ensureFirstKey } from "./identity/api-key.ts";
import { createTenantRates, type TenantRates } from "./identity/rate-limit.ts";
import { cacheCallerRecords } from "./identity/record-cache.ts";
import { createTenantLimits, type LimitsOf } from "./identity/tenant-limits.ts";
import { refuseUnfinishedMigration } from "./migration/marker.ts";
import { createLeadership, type Leadership, underLock } from "./scheduler/leadership.ts";
import type { ServiceSources } from "./service-sources.ts";

/** Store of a service, the part of this server in it, and the limits of callers, which it has. */
export interface ServiceStore {
  readonly store: Store;
  /** Id of this server. */
  readonly owner: string;
  readonly leadership: Leadership;
  /** Keys of the store, cached if it is shared. */
  readonly keys: KeyStore;
  readonly limitsOf: LimitsOf;
  readonly limitRate: TenantRates;
  /** Issues a first key if there is no active one, and returns it. */
  ensureKey(): Promise<string | undefined>;
}

/** Wait of SQLite for a lock. It is short, since it blocks the event loop; writes retry without blocking. */
const storeBusyMs = 10;

/** Opens the store. @throws if it cannot be used, or if the configured API key is revoked */
export async function openStore(
  options: ServerOptions,
  { directory, limits }: ServiceSources,
  { clock, reserve, log, closers }: { clock: Clock; reserve: Reserve; log: Log; closers: Closers },
): Promise<ServiceStore> {
  // The lock of the directory guarantees that no other server executes its runs.
  const embedded = {
    path: directory.database,
    clock,
    soleWorker: true,
    busyMs: storeBusyMs,
    freeSpace: reserve.free,
    admission: createFairSemaphore(1),
  };
  const store = await openConfiguredStore(options, embedded, log);
  closers.push(() => store.close());
  await refuseUnfinishedMigration(store.settings);
  requireSharedResults(store, options);
  const owner = randomUUID();
  const leadership = createLeadership({ leases: store.leases, owner, log });
  closers.push(() => leadership.close());
  await leadership.start();
  const callers = cacheCallerRecords(
    store,
    (options.storeCacheSeconds ?? settingTable.storeCacheSeconds.default) * 1_000,
  );
  // Half of the disk for the results of a tenant, if they are on it.
  const quotaDefault = options.results === undefined ? Math.floor((await diskBytes(directory.path)) / 2) : undefined;
  const limitsOf = createTenantLimits(callers.tenants, options.limits ?? {}, quotaDefault, limits.maxRunningRuns);
  const limitRate = createTenantRates(limitsOf, store.rates, clock);
  const ensureKey = (): Promise<string | undefined> =>
    underLock(store.leases, "first key", owner, () =>
      ensureFirstKey(store, options.apiKey, (keyId) =>
        log.error("another configured key is valid, too", otherKey(keyId)),
      ),
    );
  if (options.apiKey !== undefined) await ensureKey();
  return { store, owner, leadership, keys: callers.keys, limitsOf, limitRate, ensureKey };
}

function otherKey(keyId: string): Error {
  return new Error(
    `The key ${keyId}, which was configured before or on another server, remains valid; if it is no longer needed: quern keys revoke ${keyId}`,
  );
}
