import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createFairSemaphore, type SourceKind } from "@quern/adapter";
import {
  childCounts,
  createDownloads,
  createDuckDBSourceKind,
  createMemoryBudget,
  createResultReader,
  createResultWriter,
  defaultUserIds,
  examineUserIds,
  type MemoryBudget,
  openUserIds,
  parseUserIds,
  requireLayers,
  type SharedSources,
  sandboxing,
  type UserIds,
} from "@quern/duckdb";
import { openServiceResults, requireSharedResults } from "./adapters/results.ts";
import { storageDefaults } from "./adapters/storage-options.ts";
import { openStore } from "./adapters/store.ts";
import { systemClock } from "./common/clock.ts";
import { lockDataDirectory } from "./common/data-directory.ts";
import { isDiskFull } from "./common/disk-full.ts";
import { type LimitsInForce, limitsInForce } from "./common/limits.ts";
import type { Log } from "./common/log.ts";
import { memoryLimits } from "./common/memory-limits.ts";
import type { ServerOptions } from "./configuration/options.ts";
import { createDiskGuard, diskBytes, diskUse } from "./disk/disk-space.ts";
import { createReserve, type Reserve } from "./disk/reserve.ts";
import { createLinkSigner, linkSecret } from "./downloads/link.ts";
import { createInspections } from "./handlers/inspection-places.ts";
import type { Service } from "./handlers/service.ts";
import { ensureFirstKey } from "./identity/api-key.ts";
import { createTenantRates } from "./identity/rate-limit.ts";
import { cacheCallerRecords } from "./identity/record-cache.ts";
import { createTenantLimits } from "./identity/tenant-limits.ts";
import { refuseUnfinishedMigration } from "./migration/marker.ts";
import { countFailures } from "./results/counted-results.ts";
import { createStorageQuota } from "./results/storage-quota.ts";
import { createFirstPages } from "./runs/first-pages.ts";
import { createRunChanges } from "./runs/run-changes.ts";
import { createRunProgress } from "./runs/run-progress.ts";
import { createStatementTexts } from "./runs/statement-texts.ts";
import { createLeadership, underLock } from "./scheduler/leadership.ts";
import { createReaper } from "./scheduler/reaper.ts";
import { createScheduler } from "./scheduler/scheduler.ts";
import { createSourceCatalog } from "./sources/catalog.ts";
import { configuredSources, openSharedBucket } from "./sources/configured-sources.ts";
import { openSourceKinds } from "./sources/source-kinds.ts";
import { openAuditLog } from "./telemetry/audit-log.ts";
import { createMetrics } from "./telemetry/metrics.ts";
import { createSystems } from "./telemetry/readiness.ts";
import { createSourceMetrics } from "./telemetry/source-metrics.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";
import { createUsageMeter, type KnownUser } from "./telemetry/usage-meter.ts";

/**
 * Opens the parts of the service in the order of their dependencies. `close` closes them in reverse order; if a part
 * cannot be opened, the ones before it are closed.
 */
export async function openService(options: ServerOptions, log: Log): Promise<Service> {
  const reserve = createReserve(options.dataDir);
  for (;;) {
    const closers: Closer[] = [];
    try {
      return await build(options, log, reserve, closers);
    } catch (error) {
      await closeAll(closers);
      // A server starts on a full disk, too, so that it can remove results.
      const isFull = isDiskFull(error) || (error instanceof Error && isDiskFull(error.cause));
      if (!isFull || !reserve.free()) throw error;
    }
  }
}

/**
 * Maximum number of downloads at the same time. The process of each has a memory limit, so the number bounds their
 * memory.
 */
const maxDownloads = 8;

/** Wait of SQLite for a lock. It is short, since it blocks the event loop; writes retry without blocking. */
const storeBusyMs = 10;

function otherKey(keyId: string): Error {
  return new Error(
    `The key ${keyId}, which was configured before or on another server, remains valid; if it is no longer needed: quern keys revoke ${keyId}`,
  );
}

type Closer = () => void | Promise<void>;

async function closeAll(closers: readonly Closer[]): Promise<void> {
  for (const close of closers.toReversed()) await close();
}

async function build(options: ServerOptions, log: Log, reserve: Reserve, closers: Closer[]): Promise<Service> {
  const { clock = systemClock, csvRowIndex = false, singleUseLinks = false } = options;
  const userIds = await openProcessUsers(options, log);
  const limits = memoryLimits(limitsInForce(options.limits ?? {}), options.limits ?? {});
  const memory = createMemoryBudget(limits.maxMemoryMegabytes * 1_000_000);

  // Lock the directory first: everything below writes to it.
  const directory = lockDataDirectory(options.dataDir);
  closers.push(() => directory.release());
  const isReadableForAll = userIds !== undefined;
  const shared = await openSharedBucket(options, { cache: directory.sourceCache, isReadableForAll, log });
  closers.push(() => shared?.close());
  const sourceMetrics = createSourceMetrics();
  const kinds = openSourceKinds({
    ...{ given: options.sourceKinds ?? {}, adapters: options.adapters ?? {}, workDirectory: directory.work },
    duckdb: duckdbKind(options, limits, { workDirectory: directory.work, userIds, memory, shared }),
    ...{ log, reports: sourceMetrics },
  });
  closers.push(() => kinds.close());
  const sources = createSourceCatalog(configuredSources(options, shared, log), kinds.byName, shared?.refresh);
  await kinds.check(sources.all(undefined));
  // The lock of the directory guarantees that no other server executes its runs.
  const embedded = { path: directory.database, clock, soleWorker: true, busyMs: storeBusyMs, freeSpace: reserve.free };
  const store = await openStore(options, { ...embedded, admission: createFairSemaphore(1) }, log);
  closers.push(() => store.close());
  await refuseUnfinishedMigration(store.settings);
  requireSharedResults(store, options);
  const owner = randomUUID();
  const leadership = createLeadership({ leases: store.leases, owner, log });
  closers.push(() => leadership.close());
  await leadership.start();
  const callers = cacheCallerRecords(store, (options.storeCacheSeconds ?? storageDefaults.storeCacheSeconds) * 1_000);
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

  // Results: disk guard, reader of pages, store of files, downloads with their links, writer.
  const { spillMegabytes, maxResultBytes, maxResultRows = Number.POSITIVE_INFINITY } = limits;
  const disk = createDiskGuard({
    ...{ folder: directory.path, log, maxDiskShare: limits.maxDiskShare, reserve },
    checkedMs: 100,
  });
  const { hasSpace } = disk;
  const reading = { workDirectory: directory.work, spillMegabytes, userIds, memory };
  // Sorted copies of all results together may use as much disk space as one result.
  const reader = createResultReader({
    ...reading,
    priority: options.priority,
    filteredPageTimeoutSeconds: limits.filteredPageTimeoutSeconds,
    copyDirectory: directory.cache,
    maxCopyBytes: maxResultBytes,
    hasSpace,
  });
  closers.push(() => reader.close());
  // The first server that starts on a new store decides which bucket has the results.
  const opened = await underLock(store.leases, "results", owner, () =>
    openServiceResults(options, directory, userIds !== undefined, store.settings),
  );
  closers.push(() => opened.close());
  const systems = createSystems({ store: () => store.now(), results: () => opened.check() });
  const downloads = createDownloads({ ...reading, maxDownloads });
  closers.push(() => downloads.close());
  const links = createLinkSigner(() => linkSecret(store.settings));
  const writer = createResultWriter(reading);
  closers.push(() => writer.close());

  // Telemetry comes before the runs, since each ended run is recorded.
  const usage = createUsageMeter(store.usage, clock, log);
  closers.push(() => usage.close());
  const metrics = createMetrics({
    counts: store.counts,
    storedBytes: store.tenants.allStoredBytes,
    maxStoredBytes: async (tenantId) => (await limitsOf(tenantId)).maxStoredBytes,
    now: store.now,
    disk: () => diskUse(directory.path),
    maxDiskShare: limits.maxDiskShare,
    children: childCounts,
    sourceFamilies: sourceMetrics.families,
    isLeader: leadership.isLeader,
    systems,
  });
  closers.push(() => metrics.close());
  const results = countFailures(opened, metrics.resultStoreFailed);
  const audit = openAuditLog(directory.path, options.audit ?? {}, reserve.free);
  closers.push(() => audit.close());
  const telemetry = createTelemetry({ usage, metrics, audit }, clock, log);
  const changes = createRunChanges(store, telemetry.ended, telemetry.lost);
  closers.push(() => changes.close());
  // The scheduler executes runs as soon as it starts, so everything that it uses starts before it.
  const { maxRunningRuns, maxRunningRunsOfSource, maxLostServers, reapIntervalMs } = limits;
  const caps = { maxResultBytes, maxResultRows };
  const quota = createStorageQuota(store.tenants, limitsOf);
  const progress = createRunProgress();
  const { maxPageBytes } = limits;
  const firstPages = createFirstPages({ directory: directory.work, reader, maxPageBytes, csvRowIndex, log });
  const execution = {
    ...{ store, changes, writer, caps, quota, results, sources, progress, log, hasSpace },
    spentBudget: async (user: KnownUser, executingMs: number) =>
      usage.spent(user, (await limitsOf(user.tenantId)).monthlyExecSeconds, executingMs),
    onWritten: firstPages.written,
  };
  const leaseMs = (options.leaseSeconds ?? storageDefaults.leaseSeconds) * 1_000;
  const scheduler = createScheduler({
    ...{ ...execution, owner, leaseMs, maxRunningRuns, maxRunningRunsOfSource, maxLostServers },
    onClaimed: telemetry.claimed,
  });
  const inspections = createInspections({
    ...{ maxRunningRuns, maxRunningRunsOfSource, store, log },
    maxMs: limits.describeTimeoutSeconds * 1_000,
  });
  closers.push(() => scheduler.close());
  await scheduler.start();
  const reaper = createReaper({
    store,
    changes,
    results,
    reader,
    log,
    intervalMs: reapIntervalMs,
    sweepSources: shared?.sweep,
    isLeader: leadership.isLeader,
  });
  closers.push(() => reaper.close());
  // Sweep only after lost runs are recovered, so that their files count as orphaned.
  const swept = reaper.sweep();
  // A bucket may have many results, and those of lost runs are not orphaned yet.
  if (store.isShared) swept.catch((error: unknown) => log.error("orphaned files could not be removed", error));
  else await swept;

  const parts = {
    store,
    keys: callers.keys,
    disk,
    statementTexts: createStatementTexts(store.runs),
    changes,
    progress,
    scheduler,
    inspections,
    reaper,
    results,
    systems,
    reader,
    firstPages,
    downloads,
    links,
    sources,
  };
  const publicUrl = options.publicUrl?.replace(/\/+$/, "");
  const settings = { clock, limits, limitsOf, limitRate, publicUrl, csvRowIndex, singleUseLinks };
  // A generated key can be shown only once, so nothing that can fail comes after it.
  const firstKey = options.apiKey === undefined ? await ensureKey() : undefined;
  return { ...parts, ...settings, telemetry, firstKey, close: () => closeAll(closers) };
}

/**
 * Returns the user ids of the processes; undefined if they have the user of the service.
 * @throws {Error} if the strict sandbox lacks a layer
 */
async function openProcessUsers(
  { processUids = defaultUserIds, strictSandbox = false }: ServerOptions,
  log: Log,
): Promise<UserIds | undefined> {
  const range = parseUserIds(processUids);
  const { layer, canChangeUser } = await examineUserIds(range);
  if (strictSandbox) requireLayers([...sandboxing().layers, layer]);
  if (!layer.isPresent) log.warn?.(layer.meaning);
  return canChangeUser ? openUserIds(range) : undefined;
}

/** Returns the configured adapter for DuckDB, or that of Quern. */
function duckdbKind(
  { sourceKinds = {}, isolation = "user", priority = "normal" }: ServerOptions,
  limits: LimitsInForce,
  surroundings: {
    readonly workDirectory: string;
    readonly userIds: UserIds | undefined;
    readonly memory: MemoryBudget;
    readonly shared: SharedSources | undefined;
  },
): SourceKind {
  const linkDirectory = join(surroundings.workDirectory, "sources");
  return (
    sourceKinds.duckdb ?? createDuckDBSourceKind({ ...limits, isolation, priority, ...surroundings, linkDirectory })
  );
}
