import type { ResultStore, Store } from "@quern/adapter";
import type { ResultReader } from "@quern/duckdb";
import { recordRetentionMs } from "@quern/query-run/retention";
import type { Log } from "../common/log.ts";
import { resultName } from "../results/result-store.ts";
import type { RunChanges } from "../runs/run-changes.ts";

export interface ReaperOptions {
  readonly store: Store;
  readonly changes: RunChanges;
  readonly results: ResultStore;
  readonly reader: Pick<ResultReader, "sweep">;
  readonly log: Log;
  readonly intervalMs: number;
  /**
   * Tells if this server removes what all servers of the store share. Each removes its own copies of results.
   * @default always
   */
  readonly isLeader?: () => boolean;
}

/**
 * Removes expired results, later the records of their runs, and orphaned files. At its interval, the leader of the
 * servers does.
 */
export interface Reaper {
  /** Removes what is due, but only the expired results that one call of `expired` of the store lists. */
  reap(): Promise<void>;
  /** Removes orphaned files: files that no run owns. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

const purgeBatchSize = 100;

/** Minimum milliseconds between sweeps of the results of several servers, which list a whole bucket. */
const sharedSweepMs = 3_600_000;

export function createReaper(options: ReaperOptions): Reaper {
  const { changes, results, reader, log, intervalMs, isLeader = () => true } = options;
  const { runs, isShared } = options.store;
  let sweepFrom = 0;
  let reaping: Promise<void> | undefined;

  async function removeExpired(): Promise<void> {
    for (const run of await runs.expired()) {
      // Update the record first: a crash in between leaves an orphaned file, not a record without its file.
      const archived = await changes.apply(run.id, { type: "archived" });
      if (archived?.accepted) await results.remove(run);
    }
  }

  async function purgeEnded(): Promise<void> {
    // In batches, so that other changes of the store can happen in between.
    while ((await runs.purge(recordRetentionMs, purgeBatchSize)) === purgeBatchSize);
  }

  async function sweep(): Promise<void> {
    if (isLeader() && performance.now() >= sweepFrom) {
      await results.sweep((runId) => runs.run(runId));
      sweepFrom = performance.now() + (isShared ? sharedSweepMs : 0);
    } else await results.sweepCache?.((runId) => runs.run(runId));
    await reader.sweep(async (result) => {
      const run = await runs.run(result.split(".")[0] ?? "");
      return run?.result != null && run.archivedAt === null && resultName(run) === result;
    });
  }

  function reap(): Promise<void> {
    reaping ??= removeExpired()
      .then(purgeEnded)
      .then(sweep)
      .finally(() => {
        reaping = undefined;
      });
    return reaping;
  }

  const timer = setInterval(() => {
    (isLeader() ? reap() : sweep()).catch((error: unknown) =>
      log.error("expired results, old records or orphaned files could not be removed", error),
    );
  }, intervalMs);
  timer.unref();

  return {
    reap,
    sweep,
    async close() {
      clearInterval(timer);
      await reaping?.catch(() => {}); // the timer has logged it
    },
  };
}
