import { childCounts } from "@quern/duckdb";
import type { RunRecord } from "@quern/query-run/record";
import type { Clock } from "./common/clock.ts";
import type { Closers } from "./common/closers.ts";
import type { Log } from "./common/log.ts";
import type { ServerOptions } from "./configuration/options.ts";
import { diskUse } from "./disk/disk-space.ts";
import type { Reserve } from "./disk/reserve.ts";
import { settingTable } from "./generated/settings.ts";
import { createInspections } from "./handlers/inspection-permits.ts";
import { countFailures } from "./results/counted-results.ts";
import { createStorageQuota } from "./results/storage-quota.ts";
import { createRunChanges } from "./runs/run-changes.ts";
import { createRunProgress } from "./runs/run-progress.ts";
import { createStatementTexts } from "./runs/statement-texts.ts";
import { createReaper } from "./scheduler/expired-results.ts";
import { createScheduler } from "./scheduler/scheduler.ts";
import type { ServiceResults } from "./service-results.ts";
import type { ServiceSources } from "./service-sources.ts";
import type { ServiceStore } from "./service-store.ts";
import { openAuditLog } from "./telemetry/audit-log.ts";
import { createMetrics } from "./telemetry/metrics.ts";
import { createSystems } from "./telemetry/readiness.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";
import { createUsageMeter, type KnownUser } from "./telemetry/usage-meter.ts";
import { uploadsOfEnded } from "./uploads/uploads.ts";

interface Opened {
  readonly opened: ServiceSources & ServiceStore & ServiceResults;
  readonly clock: Clock;
  readonly reserve: Reserve;
  readonly log: Log;
  readonly closers: Closers;
}

/** Opens what records the calls and the runs: usage, metrics and the audit log. */
function openTelemetry(options: ServerOptions, { opened, clock, reserve, log, closers }: Opened) {
  const { store, resultStore, limits, limitsOf, directory } = opened;
  const usage = createUsageMeter(store.usage, clock, log);
  closers.push(() => usage.close());
  const systems = createSystems({ store: () => store.now(), results: () => resultStore.check() });
  const metrics = createMetrics({
    counts: store.counts,
    storedBytes: store.tenants.allStoredBytes,
    maxStoredBytes: async (tenantId) => (await limitsOf(tenantId)).maxStoredBytes,
    now: store.now,
    disk: () => diskUse(directory.path),
    maxDiskShare: limits.maxDiskShare,
    children: childCounts,
    sourceFamilies: opened.sourceMetrics.families,
    isLeader: opened.leadership.isLeader,
    systems,
  });
  closers.push(() => metrics.close());
  const audit = openAuditLog(directory.path, options.audit ?? {}, reserve.free);
  closers.push(() => audit.close());
  return { usage, systems, metrics, telemetry: createTelemetry({ usage, metrics, audit }, clock, log) };
}

/** Starts to execute runs, and removes what lost runs and expired results have left. */
export async function startRuns(options: ServerOptions, given: Opened) {
  const { opened, log, closers } = given;
  const { store, sources, shared, reader, limits, limitsOf, disk, writer, leadership, owner } = opened;
  // Telemetry comes before the runs, since each ended run is recorded.
  const { usage, systems, metrics, telemetry } = openTelemetry(options, given);
  const results = countFailures(opened.resultStore, metrics.resultStoreFailed);
  const { uploads } = opened;
  const ended = (run: RunRecord): void => {
    telemetry.ended(run);
    void uploads.remove(uploadsOfEnded(run));
  };
  const changes = createRunChanges(store, ended, telemetry.lost);
  closers.push(() => changes.close());
  const progress = createRunProgress();
  // The scheduler executes runs as soon as it starts, so everything that it uses starts before it.
  const { maxRunningRuns, maxRunningRunsOfSource, maxLostServers } = limits;
  const scheduler = createScheduler({
    store,
    changes,
    writer,
    caps: {
      maxResultBytes: limits.maxResultBytes,
      maxResultRows: limits.maxResultRows ?? Number.POSITIVE_INFINITY,
      maxSmallResultBytes: limits.maxSmallResultBytes,
    },
    quota: createStorageQuota(store.tenants, limitsOf),
    results,
    sources,
    uploads,
    progress,
    log,
    hasSpace: disk.hasSpace,
    spentBudget: async (user: KnownUser, executingMs: number) =>
      usage.spent(user, (await limitsOf(user.tenantId)).monthlyExecSeconds, executingMs),
    owner,
    leaseMs: (options.leaseSeconds ?? settingTable.leaseSeconds.default) * 1_000,
    maxRunningRuns,
    maxRunningRunsOfSource,
    maxLostServers,
    onClaimed: telemetry.claimed,
  });
  const inspections = createInspections({
    maxRunningRuns,
    maxRunningRunsOfSource,
    store,
    log,
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
    intervalMs: limits.reapIntervalMs,
    sweepSources: shared?.sweep,
    sweepUploads: uploads.sweep,
    isLeader: leadership.isLeader,
  });
  closers.push(() => reaper.close());
  // Sweep only after lost runs are recovered, so that their files count as orphaned.
  const swept = reaper.sweep();
  // A bucket may have many results, and those of lost runs are not orphaned yet.
  if (store.isShared) swept.catch((error: unknown) => log.error("orphaned files could not be removed", error));
  else await swept;
  const statementTexts = createStatementTexts(store.runs);
  return { changes, progress, scheduler, inspections, reaper, results, systems, statementTexts, telemetry };
}
