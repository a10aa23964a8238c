import type { SourceConfiguration } from "@quern/adapter";
import { dataDirectorySources, engineSourcesOf, openSharedSources, type SharedSources } from "@quern/duckdb";
import { openSources } from "../adapters/sources.ts";
import type { Log } from "../common/log.ts";
import { type ServerSettings, settingTable } from "../generated/settings.ts";

/** Settings that say where the data sources are. */
interface SourceSettings extends Pick<ServerSettings, "sources" | "maxSourceCacheBytes"> {
  readonly dataDir: string;
}

interface Surroundings {
  /** Returns the directory for copies, and creates it. */
  readonly cache: () => string;
  /** Lets processes with users of their own read the copies. */
  readonly isReadableForAll: boolean;
  readonly log: Log;
}

/** Opens the sources in a bucket; undefined if the settings do not name one. */
export async function openSharedBucket(
  { sources, maxSourceCacheBytes: maxBytes = settingTable.maxSourceCacheBytes.default }: SourceSettings,
  { cache, isReadableForAll, log }: Surroundings,
): Promise<SharedSources | undefined> {
  if (typeof sources !== "string") return undefined;
  const files = await openSources(sources, { directory: cache(), maxBytes, isReadableForAll });
  const onError = (error: unknown): void => log.error("the data sources in the bucket could not be read", error);
  return openSharedSources({ files, onError });
}

/**
 * Returns the function that lists the sources: the configured ones, or those in the data directory. If the tables are in a
 * bucket, sources of other engines are still in the data directory.
 */
export function configuredSources(
  { sources, dataDir }: SourceSettings,
  shared: SharedSources | undefined,
  log: Log,
): () => readonly SourceConfiguration[] {
  if (shared !== undefined) return sharedAndEngineSources(shared, dataDir, log);
  return Array.isArray(sources) ? () => sources : () => dataDirectorySources(dataDir);
}

/** The commands refuse a name that is in use in both, but the data directory of another server can have it. */
function sharedAndEngineSources(
  shared: SharedSources,
  dataDir: string,
  log: Log,
): () => readonly SourceConfiguration[] {
  const reported = new Set<string>();
  return () => {
    const engines = engineSourcesOf(dataDir);
    const listed = shared.configurations(engines);
    const used = new Set(listed.filter(({ kind }) => kind !== undefined).map(({ name }) => name));
    for (const { name } of engines) {
      if (used.has(name) || reported.has(name)) continue;
      reported.add(name);
      const text = `The bucket and the data directory have a source ${name}; remove one with \`quern sources remove ${name}\`.`;
      log.error("a data source is not used", new Error(text));
    }
    return listed;
  };
}
