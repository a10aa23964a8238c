import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { SourceKind } from "@quern/adapter";
import {
  createDownloads,
  createDuckDBSourceKind,
  createFairSemaphore,
  createResultReader,
  createResultWriter,
  dataDirectorySources,
  requireLayers,
  sandboxing,
} from "@quern/duckdb";
import { systemClock } from "./common/clock.ts";
import { lockDataDirectory } from "./common/data-directory.ts";
import { type LimitsInForce, limitsInForce } from "./common/limits.ts";
import type { Log } from "./common/log.ts";
import type { ServerOptions } from "./configuration/options.ts";
import { adoptLinkSecret, createLinkSigner, linkSecret } from "./downloads/link.ts";
import type { Service } from "./handlers/service.ts";
import { ensureFirstKey } from "./identity/api-key.ts";
import { createTenantRates } from "./identity/rate-limit.ts";
import { createTenantLimits } from "./identity/tenant-limits.ts";
import { createResultStore } from "./results/result-store.ts";
import { createRunChanges } from "./runs/run-changes.ts";
import { createStatementTexts } from "./runs/statement-texts.ts";
import { createDiskGuard } from "./scheduler/disk-space.ts";
import { createReaper } from "./scheduler/reaper.ts";
import { createScheduler } from "./scheduler/scheduler.ts";
import { createSourceCatalog } from "./sources/catalog.ts";
import { openSqliteStore } from "./store/sqlite/store.ts";
import { openAuditLog } from "./telemetry/audit-log.ts";
import { createMetrics } from "./telemetry/metrics.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";
import { createUsageMeter } from "./telemetry/usage-meter.ts";

/**
 * Opens the parts of the service in the order of their dependencies. `close` closes them in reverse order; if a part
 * cannot be opened, the ones before it are closed.
 */
export async function openService(options: ServerOptions, log: Log): Promise<Service> {
  const closers: Closer[] = [];
  try {
    return await build(options, log, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/**
 * Maximum number of downloads at the same time. The process of each has a memory limit, so the number bounds their
 * memory.
 */
const maxDownloads = 8;

/** Wait of SQLite for a lock. It is short, since it blocks the event loop; writes retry without blocking. */
const storeBusyMs = 10;

type SourceKinds = ReadonlyMap<string, SourceKind>;

type Closer = () => void | Promise<void>;

async function closeAll(closers: readonly Closer[]): Promise<void> {
  for (const close of closers.toReversed()) await close();
}

async function build(options: ServerOptions, log: Log, closers: Closer[]): Promise<Service> {
  const { clock = systemClock, csvRowIndex = false } = options;
  if (options.strictSandbox) requireLayers(sandboxing().layers);
  const limits = limitsInForce(options.limits ?? {});

  const { sources: configuredSources } = options;
  const configured =
    configuredSources === undefined ? () => dataDirectorySources(options.dataDir) : () => configuredSources;
  // Lock the directory first: everything below writes to it.
  const directory = lockDataDirectory(options.dataDir);
  closers.push(() => directory.release());
  const kinds = openSourceKinds(options, limits, directory.work);
  closers.push(() => closeKinds(kinds));
  const sources = createSourceCatalog(configured, kinds);
  // The lock of the directory guarantees that no other server executes its runs.
  const store = openSqliteStore(directory.database, { clock, soleWorker: true, busyMs: storeBusyMs });
  closers.push(() => store.close());
  const limitsOf = createTenantLimits(store.tenants, options.limits ?? {});
  const limitRate = createTenantRates(limitsOf, clock);
  const firstKey = await ensureFirstKey(store.keys, options.apiKey);

  // Results: disk guard, reader of pages, store of files, downloads with their links, writer.
  const { spillMegabytes, maxResultBytes, maxResultRows = Number.POSITIVE_INFINITY } = limits;
  const hasSpace = createDiskGuard(directory.path, log, limits.maxDiskShare);
  const reading = { workDirectory: directory.work, spillMegabytes };
  // Sorted copies of all results together may use as much disk space as one result.
  const reader = createResultReader({
    ...reading,
    copyDirectory: directory.cache,
    maxCopyBytes: maxResultBytes,
    hasSpace,
  });
  closers.push(() => reader.close());
  const results = await createResultStore(directory.results);
  const downloads = createDownloads({ ...reading, maxDownloads });
  closers.push(() => downloads.close());
  await adoptLinkSecret(store.settings, directory.linkKey);
  const links = createLinkSigner(() => linkSecret(store.settings));
  const writer = createResultWriter(reading);
  closers.push(() => writer.close());

  // Telemetry comes before the runs, since each ended run is recorded.
  const usage = createUsageMeter(store.usage, clock, log);
  closers.push(() => usage.close());
  const metrics = createMetrics(store.counts);
  closers.push(() => metrics.close());
  const audit = openAuditLog(directory.path);
  closers.push(() => audit.close());
  const telemetry = createTelemetry({ usage, metrics, audit }, clock, log);
  const changes = createRunChanges(store, telemetry.ended);
  closers.push(() => changes.close());
  // The scheduler executes runs as soon as it starts, so everything that it uses starts before it.
  const { maxRunningRuns = availableParallelism(), reapIntervalMs } = limits;
  const caps = { maxResultBytes, maxResultRows };
  const execution = { store, changes, writer, caps, results, sources, log, hasSpace };
  const scheduler = createScheduler({ ...execution, maxRunningRuns });
  const inspections = createFairSemaphore(maxRunningRuns);
  closers.push(() => scheduler.close());
  await scheduler.start();
  const reaper = createReaper({ store, changes, results, reader, log, intervalMs: reapIntervalMs });
  closers.push(() => reaper.close());
  // Sweep only after lost runs are recovered, so that their files count as orphaned.
  await reaper.sweep();

  const parts = {
    store,
    statementTexts: createStatementTexts(store.runs),
    changes,
    scheduler,
    inspections,
    reaper,
    results,
    reader,
    downloads,
    links,
    sources,
  };
  const publicUrl = options.publicUrl?.replace(/\/+$/, "");
  const settings = { clock, limits, limitsOf, limitRate, publicUrl, csvRowIndex };
  return { ...parts, ...settings, telemetry, firstKey, close: () => closeAll(closers) };
}

/** Returns the configured adapters by name. Adds one for DuckDB unless `duckdb` is configured. */
function openSourceKinds(
  { sourceKinds = {}, isolation = "user", priority = "normal" }: ServerOptions,
  limits: LimitsInForce,
  workDirectory: string,
): SourceKinds {
  const kinds = new Map(Object.entries(sourceKinds));
  if (kinds.has("duckdb")) return kinds;
  const linkDirectory = join(workDirectory, "sources");
  return kinds.set("duckdb", createDuckDBSourceKind({ ...limits, isolation, priority, workDirectory, linkDirectory }));
}

async function closeKinds(kinds: SourceKinds): Promise<void> {
  await Promise.all([...kinds.values()].map((kind) => kind.close()));
}
