import { systemClock } from "./common/clock.ts";
import { type Closers, closeAll } from "./common/closers.ts";
import { isDiskFull } from "./common/disk-full.ts";
import type { Log } from "./common/log.ts";
import type { ServerOptions } from "./configuration/options.ts";
import { createReserve, type Reserve } from "./disk/reserve.ts";
import type { Service } from "./handlers/context.ts";
import { openResults } from "./service-results.ts";
import { startRuns } from "./service-runs.ts";
import { openSources } from "./service-sources.ts";
import { openStore } from "./service-store.ts";

/**
 * Opens the parts of the service in the order of their dependencies. `close` closes them in reverse order; if a part
 * cannot be opened, the ones before it are closed.
 */
export async function openService(options: ServerOptions, log: Log): Promise<Service> {
  const reserve = createReserve(options.dataDir);
  for (;;) {
    const closers: Closers = [];
    try {
      return await openParts(options, log, reserve, closers);
    } catch (error) {
      await closeAll(closers);
      // A server starts on a full disk, too, so that it can remove results.
      const isFull = isDiskFull(error) || (error instanceof Error && isDiskFull(error.cause));
      if (!isFull || !reserve.free()) throw error;
    }
  }
}

async function openParts(options: ServerOptions, log: Log, reserve: Reserve, closers: Closers): Promise<Service> {
  const { clock = systemClock, csvRowIndex = false, singleUseLinks = false } = options;
  const sources = await openSources(options, log, closers);
  const store = await openStore(options, sources, { clock, reserve, log, closers });
  const results = await openResults(options, sources, store, { reserve, log, closers });
  const opened = { ...sources, ...store, ...results };
  const runs = await startRuns(options, { opened, clock, reserve, log, closers });
  // A generated key can be shown only once, so nothing that can fail comes after it.
  const firstKey = options.apiKey === undefined ? await store.ensureKey() : undefined;
  return {
    ...opened,
    ...runs,
    clock,
    configuredLimits: options.limits ?? {},
    publicUrl: options.publicUrl?.replace(/\/+$/, ""),
    csvRowIndex,
    singleUseLinks,
    firstKey,
    close: () => closeAll(closers),
  };
}
