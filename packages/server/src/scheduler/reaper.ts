import type { ResultStore, Store } from "@quern/adapter";
import type { ResultReader } from "@quern/duckdb";
import type { RunRecord } from "@quern/query-run/record";
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
  /** Removes orphaned files: files that no run owns. One sweep runs at a time; `close` ends it early. */
  sweep(): Promise<void>;
  /** Ends the sweep in progress, and waits for the removal in progress. */
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
  let sweeping: Promise<void> | undefined;
  const closing = new AbortController();

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

  /** Returns the owner of a file. Throws once the reaper is closed, which ends a sweep before its next file. */
  async function ownerOf(runId: string): Promise<RunRecord | undefined> {
    closing.signal.throwIfAborted();
    return runs.run(runId);
  }

  async function sweepFiles(): Promise<void> {
    if (isLeader() && performance.now() >= sweepFrom) {
      await results.sweep(ownerOf);
      sweepFrom = performance.now() + (isShared ? sharedSweepMs : 0);
    } else await results.sweepCache?.(ownerOf);
    await reader.sweep(async (result) => {
      const run = await ownerOf(result.split(".")[0] ?? "");
      return run?.result != null && run.archivedAt === null && resultName(run) === result;
    });
  }

  function sweep(): Promise<void> {
    sweeping ??= sweepFiles()
      .catch((error: unknown) => {
        if (!closing.signal.aborted) throw error;
      })
      .finally(() => {
        sweeping = undefined;
      });
    return sweeping;
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
      closing.abort();
      await Promise.allSettled([reaping, sweeping]); // the callers have logged their errors
    },
  };
}
