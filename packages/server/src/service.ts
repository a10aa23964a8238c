import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { maxPageBytes } from "@quern/query-run/page";
import { type Clock, systemClock } from "./clock.ts";
import { limitFault } from "./configuration/limits.ts";
import { takeDataDirectory } from "./data-directory.ts";
import { createDuckDBExecutor } from "./executor/duckdb/executor.ts";
import type { Executor } from "./executor/executor.ts";
import { ensureFirstKey } from "./identity/first-key.ts";
import { createTenantLimits, type LimitsOf } from "./identity/tenant-limits.ts";
import { createTenantRates, type TenantRates } from "./identity/tenant-rates.ts";
import type { Log } from "./log.ts";
import { openAuditLog } from "./operation/audit-log.ts";
import { createMetrics } from "./operation/metrics.ts";
import { createOperation, type Operation } from "./operation/operation.ts";
import { createUsageMeter } from "./operation/usage-meter.ts";
import type { ServerLimits, ServerOptions } from "./options.ts";
import { requireLayers, sandboxing } from "./processes/sandbox-layers.ts";
import { createDownloads, type Downloads } from "./results/download/downloads.ts";
import { createLinkSigner, type LinkSigner, linkSecret } from "./results/download/link.ts";
import { createResultReader, type ResultReader } from "./results/reader/reader.ts";
import { createResultStore, type ResultStore } from "./results/result-store.ts";
import { createRunChanges, type RunChanges } from "./runs/run-changes.ts";
import { createDiskRoom } from "./scheduler/disk-room.ts";
import { createReaper, type Reaper } from "./scheduler/reaper.ts";
import { createScheduler, type Scheduler } from "./scheduler/scheduler.ts";
import { createTurns, type Turns } from "./scheduler/turns.ts";
import { createSourceCatalog, type SourceCatalog } from "./sources/catalog.ts";
import { dataDirectorySources } from "./sources/data-directory-sources.ts";
import type { KeyStore } from "./store/key-store.ts";
import type { RunStore } from "./store/run-store.ts";
import { openDatabase } from "./store/sqlite/database.ts";
import { createSqliteKeyStore } from "./store/sqlite/key-store.ts";
import { createSqliteRunCounts } from "./store/sqlite/run-counts.ts";
import { createSqliteRunStore } from "./store/sqlite/run-store.ts";
import { createSqliteTenantStore } from "./store/sqlite/tenant-store.ts";
import { createSqliteUsageStore } from "./store/sqlite/usage-store.ts";

/** The service without its door: its rooms, which the methods go into. */
export interface Service {
  readonly store: RunStore;
  readonly keys: KeyStore;
  /** The key that was made because there was none. */
  readonly firstKey: string | undefined;
  readonly changes: RunChanges;
  readonly scheduler: Scheduler;
  /** Places for statements that are described: as many again as for runs. */
  readonly describing: Turns;
  readonly reaper: Reaper;
  readonly executor: Executor;
  readonly results: ResultStore;
  readonly reader: ResultReader;
  readonly downloads: Downloads;
  readonly links: LinkSigner;
  /** Where callers reach the service; undefined where their requests say so. */
  readonly publicUrl: string | undefined;
  readonly sources: SourceCatalog;
  readonly operation: Operation;
  readonly clock: Clock;
  readonly limits: ServiceLimits;
  readonly limitsOf: LimitsOf;
  readonly limitRate: TenantRates;
  /** Whether csv rows end with `__row_index`. */
  readonly csvRowIndex: boolean;
  close(): Promise<void>;
}

interface ServiceLimits {
  readonly maxQueuedRuns: number;
  readonly statementTimeoutSeconds: number;
  readonly maxPageBytes: number;
  /** How long `describeQuery` may take. */
  readonly describeTimeoutSeconds: number;
}

/** Builds the rooms from the ground up, and closes them from the roof down; also when one cannot be built. */
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

/** Changes of the store try again by themselves, so that answers need not wait for whoever else has it. */
const storeBusyMs = 10;

type Closer = () => void | Promise<void>;

async function closeAll(closers: readonly Closer[]): Promise<void> {
  for (const close of closers.toReversed()) await close();
}

async function build(options: ServerOptions, log: Log, closers: Closer[]): Promise<Service> {
  const { clock = systemClock, csvRowIndex = false } = options;
  if (options.strictSandbox) requireLayers(sandboxing().layers);
  const limits = toServiceLimits(options.limits ?? {});

  const { sources: given } = options;
  const configured = given === undefined ? () => dataDirectorySources(options.dataDir) : () => given;
  const sources = createSourceCatalog(configured, join(resolve(options.dataDir), "work", "sources"));
  const directory = takeDataDirectory(options.dataDir);
  closers.push(() => directory.release());
  const database = openDatabase(directory.database, storeBusyMs);
  closers.push(() => database.close());
  const store = createSqliteRunStore(database);
  const keys = createSqliteKeyStore(database);
  const limitsOf = createTenantLimits(createSqliteTenantStore(database), options.limits ?? {});
  const limitRate = createTenantRates(limitsOf, clock);
  const firstKey = await ensureFirstKey(keys, options.apiKey, clock.now());

  const { spillMegabytes = 4_000, maxResultBytes = 10_000_000_000 } = options.limits ?? {};
  const hasRoom = createDiskRoom(directory.path, log, options.limits?.maxDiskShare);
  const reading = { workDirectory: directory.work, spillMegabytes };
  // The copies of all results together have the room that one result has.
  const reader = createResultReader({ ...reading, maxCopyBytes: maxResultBytes, hasRoom });
  closers.push(() => reader.close());
  const results = await createResultStore(directory.results);
  const downloads = createDownloads({ ...reading, maxDownloads });
  closers.push(() => downloads.close());
  const links = createLinkSigner(linkSecret(directory.linkSecret));
  const executor = options.executor ?? createDuckDBExecutor({ ...options.limits, workDirectory: directory.work });
  closers.push(() => executor.close());

  const usage = createUsageMeter(createSqliteUsageStore(database), clock, log);
  closers.push(() => usage.close());
  const metrics = createMetrics(createSqliteRunCounts(database));
  closers.push(() => metrics.close());
  const audit = openAuditLog(directory.path);
  closers.push(() => audit.close());
  const operation = createOperation({ usage, metrics, audit }, clock, log);
  const changes = createRunChanges(store, clock, operation.ended);
  closers.push(() => changes.close());
  const { maxRunningRuns = availableParallelism(), reapIntervalMs = 60_000 } = options.limits ?? {};
  const schedulerRoom = { store, changes, executor, results, sources, clock, log, hasRoom };
  const scheduler = createScheduler({ ...schedulerRoom, maxRunningRuns });
  const describing = createTurns(maxRunningRuns);
  closers.push(() => scheduler.close());
  await scheduler.start();
  // After what the last server left running is known as that: its results are nobody's.
  await results.sweep((runId) => store.run(runId));
  const reaper = createReaper({ store, changes, results, clock, log, intervalMs: reapIntervalMs });
  closers.push(() => reaper.close());

  const rooms = {
    store,
    keys,
    changes,
    scheduler,
    describing,
    reaper,
    executor,
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

function toServiceLimits(limits: ServerLimits): ServiceLimits {
  const fault = limitFault(limits);
  if (fault !== undefined) throw new Error(`The limits of the server cannot be: ${fault}.`);
  const defaults = { maxQueuedRuns: 10_000, statementTimeoutSeconds: 1_200, maxPageBytes, describeTimeoutSeconds: 20 };
  return { ...defaults, ...limits };
}
