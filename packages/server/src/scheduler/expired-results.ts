import { setTimeout } from "node:timers/promises";
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
  /** Removes earlier versions of the data sources of all servers. @default nothing */
  readonly sweepSources?: (() => Promise<void>) | undefined;
  /** Removes uploads that no run needs. @default nothing */
  readonly sweepUploads?: (() => Promise<void>) | undefined;
  /**
   * Tells if this server removes what all servers of the store share. Each removes its own copies of results.
   * @default always
   */
  readonly isLeader?: () => boolean;
}

/**
 * Removes expired results, later the records of their runs, and orphaned files. Runs periodically on the leader only;
 * each other server removes its own copies of results.
 */
export interface Reaper {
  /**
   * Removes expired results, then deletes old records and sweeps. These may take long: they do not keep the next call from
   * removing expired results.
   */
  reap(): Promise<void>;
  /** Removes orphaned files: files that no run owns. One sweep runs at a time; `close` ends it early. */
  sweep(): Promise<void>;
  /** Ends the sweep and the deletion of records in progress, and waits for the removal in progress. */
  close(): Promise<void>;
}

/** Number of runs whose records are deleted in one change of the store, which holds the event loop for some milliseconds. */
const purgeBatchSize = 20;
/** Pause after each batch, as a multiple of its time, so that 150,000 old runs at once do not delay other calls. */
const pauseFactor = 4;
/** Maximum number of results that are removed at the same time. Each waits for the store and for the storage. */
const maxRemovals = 8;

/** Minimum milliseconds between sweeps of the results of several servers, which list a whole bucket. */
const sharedSweepMs = 3_600_000;

export function createReaper(options: ReaperOptions): Reaper {
  const { changes, results, reader, log, intervalMs, isLeader = () => true } = options;
  const { runs, isShared } = options.store;
  let sweepFrom = 0;
  let reaping: Promise<void> | undefined;
  let purging: Promise<void> | undefined;
  let sweeping: Promise<void> | undefined;
  const closing = new AbortController();

  /** Removes expired results until the store lists none, or none of those that it lists can be removed. */
  async function removeExpired(): Promise<void> {
    for (let removed = -1; removed !== 0; ) {
      removed = 0;
      const expired = (await runs.expired()).values();
      const lanes = Array.from({ length: maxRemovals }, async () => {
        for (const run of expired) if (!closing.signal.aborted && (await removeResult(run))) removed += 1;
      });
      const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    }
  }

  async function removeResult(run: RunRecord): Promise<boolean> {
    // Update the record first: a crash in between leaves an orphaned file, not a record without its file.
    const archived = await changes.apply(run.id, { type: "archived" });
    if (archived?.accepted) await results.remove(run);
    return archived?.accepted === true;
  }

  async function purgeEnded(): Promise<void> {
    for (;;) {
      closing.signal.throwIfAborted(); // a removal that has just ended begins a deletion
      const from = performance.now();
      if ((await runs.purge(recordRetentionMs, purgeBatchSize)) < purgeBatchSize) return;
      await setTimeout((performance.now() - from) * pauseFactor, undefined, { signal: closing.signal, ref: false });
    }
  }

  /** Returns the owner of a file. Throws once the reaper is closed, which ends a sweep before its next file. */
  async function ownerOf(runId: string): Promise<RunRecord | undefined> {
    closing.signal.throwIfAborted();
    return runs.run(runId);
  }

  async function sweepFiles(): Promise<void> {
    closing.signal.throwIfAborted(); // a removal that has just ended begins a sweep
    if (isLeader()) await options.sweepUploads?.();
    if (isLeader() && performance.now() >= sweepFrom) {
      await results.sweep(ownerOf);
      closing.signal.throwIfAborted();
      await options.sweepSources?.();
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

  function purge(): Promise<void> {
    purging ??= purgeEnded()
      .catch((error: unknown) => {
        // Logged here: it can last for many intervals, of which each would log it.
        if (!closing.signal.aborted) log.error("old records could not be deleted", error);
      })
      .finally(() => {
        purging = undefined;
      });
    return purging;
  }

  async function reap(): Promise<void> {
    reaping ??= removeExpired().finally(() => {
      reaping = undefined;
    });
    await reaping;
    await Promise.all([purge(), sweep()]);
  }

  const timer = setInterval(() => {
    (isLeader() ? reap() : sweep()).catch((error: unknown) =>
      log.error("expired results or orphaned files could not be removed", error),
    );
  }, intervalMs);
  timer.unref();

  return {
    reap,
    sweep,
    async close() {
      clearInterval(timer);
      closing.abort();
      await Promise.allSettled([reaping, purging, sweeping]); // the callers have logged their errors
    },
  };
}
