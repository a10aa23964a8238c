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
import { takeDataDirectory } from "./common/data-directory.ts";
import { type LimitsInForce, limitsInForce } from "./common/limits.ts";
import type { Log } from "./common/log.ts";
import type { ServerOptions } from "./configuration/options.ts";
import { createLinkSigner } from "./downloads/link.ts";
import { adoptLinkSecret, linkSecret } from "./downloads/link-secret.ts";
import type { Service } from "./handlers/service.ts";
import { ensureFirstKey } from "./identity/first-key.ts";
import { createTenantLimits } from "./identity/tenant-limits.ts";
import { createTenantRates } from "./identity/tenant-rates.ts";
import { openAuditLog } from "./operation/audit-log.ts";
import { createMetrics } from "./operation/metrics.ts";
import { createOperation } from "./operation/operation.ts";
import { createUsageMeter } from "./operation/usage-meter.ts";
import { createResultStore } from "./results/result-store.ts";
import { createRunChanges } from "./runs/run-changes.ts";
import { createDiskRoom } from "./scheduler/disk-room.ts";
import { createReaper } from "./scheduler/reaper.ts";
import { createScheduler } from "./scheduler/scheduler.ts";
import { createSourceCatalog } from "./sources/catalog.ts";
import { openSqliteStore } from "./store/sqlite/store.ts";

/** Opens the dependencies of the service in order, and closes them in reverse, also when one cannot be opened. */
export async function openService(options: ServerOptions, log: Log): Promise<Service> {
  const closers: Closer[] = [];
  try {
    return await build(options, log, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** Processes that write whole results at once; each has the memory of a reader. */
const maxDownloads = 8;

/** Writes retry when the database is locked; a longer wait of SQLite itself would block the event loop. */
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

  const { sources: given } = options;
  const configured = given === undefined ? () => dataDirectorySources(options.dataDir) : () => given;
  const directory = takeDataDirectory(options.dataDir);
  closers.push(() => directory.release());
  const kinds = openSourceKinds(options, limits, directory.work);
  closers.push(() => closeKinds(kinds));
  const sources = createSourceCatalog(configured, kinds);
  // The lock of the directory says that no other server works on its runs.
  const store = openSqliteStore(directory.database, { clock, soleWorker: true, busyMs: storeBusyMs });
  closers.push(() => store.close());
  const limitsOf = createTenantLimits(store.tenants, options.limits ?? {});
  const limitRate = createTenantRates(limitsOf, clock);
  const firstKey = await ensureFirstKey(store.keys, options.apiKey);

  const { spillMegabytes, maxResultBytes, maxResultRows = Number.POSITIVE_INFINITY } = limits;
  const hasRoom = createDiskRoom(directory.path, log, limits.maxDiskShare);
  const reading = { workDirectory: directory.work, spillMegabytes };
  // The copies of all results together have the room that one result has.
  const reader = createResultReader({
    ...reading,
    copyDirectory: directory.cache,
    maxCopyBytes: maxResultBytes,
    hasSpace: hasRoom,
  });
  closers.push(() => reader.close());
  const results = await createResultStore(directory.results);
  const downloads = createDownloads({ ...reading, maxDownloads });
  closers.push(() => downloads.close());
  await adoptLinkSecret(store.settings, directory.linkKey);
  const links = createLinkSigner(() => linkSecret(store.settings));
  const writer = createResultWriter(reading);
  closers.push(() => writer.close());

  const usage = createUsageMeter(store.usage, clock, log);
  closers.push(() => usage.close());
  const metrics = createMetrics(store.counts);
  closers.push(() => metrics.close());
  const audit = openAuditLog(directory.path);
  closers.push(() => audit.close());
  const operation = createOperation({ usage, metrics, audit }, clock, log);
  const changes = createRunChanges(store, operation.ended);
  closers.push(() => changes.close());
  const { maxRunningRuns = availableParallelism(), reapIntervalMs } = limits;
  const caps = { maxResultBytes, maxResultRows };
  const schedulerRoom = { store, changes, writer, caps, results, sources, log, hasRoom };
  const scheduler = createScheduler({ ...schedulerRoom, maxRunningRuns });
  const inspecting = createFairSemaphore(maxRunningRuns);
  closers.push(() => scheduler.close());
  await scheduler.start();
  const reaper = createReaper({ store, changes, results, reader, log, intervalMs: reapIntervalMs });
  closers.push(() => reaper.close());
  // Sweep only after lost runs are recovered, so that their files count as orphaned.
  await reaper.sweep();

  const rooms = {
    store,
    changes,
    scheduler,
    inspecting,
    reaper,
    results,
    reader,
    downloads,
    links,
    sources,
  };
  const publicUrl = options.publicUrl?.replace(/\/+$/, "");
  const settings = { clock, limits, limitsOf, limitRate, publicUrl, csvRowIndex };
  return { ...rooms, ...settings, operation, firstKey, close: () => closeAll(closers) };
}

/** The adapters of the options, and the one of DuckDB unless it is among them. */
function openSourceKinds(
  { sourceKinds = {} }: ServerOptions,
  limits: LimitsInForce,
  workDirectory: string,
): SourceKinds {
  const kinds = new Map(Object.entries(sourceKinds));
  if (kinds.has("duckdb")) return kinds;
  const linkDirectory = join(workDirectory, "sources");
  return kinds.set("duckdb", createDuckDBSourceKind({ ...limits, workDirectory, linkDirectory }));
}

async function closeKinds(kinds: SourceKinds): Promise<void> {
  await Promise.all([...kinds.values()].map((kind) => kind.close()));
}
