import { join } from "node:path";
import type { SourceKind } from "@quern/adapter";
import {
  createDuckDBSourceKind,
  createMemoryBudget,
  examineUserIds,
  type MemoryBudget,
  openUserIds,
  parseUserIds,
  requireLayers,
  type SharedSources,
  sandboxing,
  type UserIds,
} from "@quern/duckdb";
import type { Closers } from "./common/closers.ts";
import { type DataDirectory, lockDataDirectory } from "./common/data-directory.ts";
import { type LimitsInForce, limitsInForce } from "./common/limits.ts";
import type { Log } from "./common/log.ts";
import { memoryLimits } from "./common/memory-limits.ts";
import type { ServerOptions } from "./configuration/options.ts";
import { settingTable } from "./generated/settings.ts";
import { createSourceCatalog, type SourceCatalog } from "./sources/catalog.ts";
import { configuredSources, openSharedBucket } from "./sources/configured-sources.ts";
import { openSourceKinds } from "./sources/source-kinds.ts";
import { createSourceMetrics, type SourceMetrics } from "./telemetry/source-metrics.ts";

/** Data sources of a service with their engines, and what the processes of the machine share. */
export interface ServiceSources {
  readonly limits: ReturnType<typeof memoryLimits>;
  readonly directory: DataDirectory;
  /** User ids of the processes; undefined if they have the user of the service. */
  readonly userIds: UserIds | undefined;
  readonly memory: MemoryBudget;
  readonly shared: SharedSources | undefined;
  readonly sources: SourceCatalog;
  readonly sourceMetrics: SourceMetrics;
}

/**
 * Locks the data directory, and opens the data sources and their engines.
 * @throws if the directory is in use, or if a source or the strict sandbox cannot be provided
 */
export async function openSources(options: ServerOptions, log: Log, closers: Closers): Promise<ServiceSources> {
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
    given: options.sourceKinds ?? {},
    adapters: options.adapters ?? {},
    workDirectory: directory.work,
    duckdb: duckdbKind(options, limits, { workDirectory: directory.work, userIds, memory, shared }),
    log,
    reports: sourceMetrics,
  });
  closers.push(() => kinds.close());
  const sources = createSourceCatalog(configuredSources(options, shared, log), kinds.byName, shared?.refresh);
  await kinds.check(sources.all(undefined));
  return { limits, directory, userIds, memory, shared, sources, sourceMetrics };
}

/**
 * Returns the user ids of the processes; undefined if they have the user of the service.
 * @throws {Error} if the strict sandbox lacks a layer
 */
async function openProcessUsers(
  { processUids = settingTable.processUids.default, strictSandbox = false }: ServerOptions,
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
