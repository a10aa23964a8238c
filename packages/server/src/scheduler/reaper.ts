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
}

/** Removes results, and later the records of runs, whose retention is over, and files that belong to no run. */
export interface Reaper {
  /** Removes what is due now. */
  reap(): Promise<void>;
  /** Removes files that belong to no run. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

const forgottenAtOnce = 100;

export function createReaper({ store: { runs }, changes, results, reader, log, intervalMs }: ReaperOptions): Reaper {
  let underWay: Promise<void> | undefined;

  async function removeExpired(): Promise<void> {
    for (const run of await runs.expired()) {
      // The record first: a crash in between leaves a file without an owner, never an owner without its file.
      const archived = await changes.apply(run.id, { type: "archived" });
      if (archived?.accepted) await results.remove(run);
    }
  }

  async function forgetEnded(): Promise<void> {
    // In parts, so that other changes come in between.
    while ((await runs.forget(recordRetentionMs, forgottenAtOnce)) === forgottenAtOnce);
  }

  async function sweep(): Promise<void> {
    await results.sweep((runId) => runs.run(runId));
    await reader.sweep(async (result) => {
      const run = await runs.run(result.split(".")[0] ?? "");
      return run?.result != null && run.archivedAt === null && resultName(run) === result;
    });
  }

  function reap(): Promise<void> {
    underWay ??= removeExpired()
      .then(forgetEnded)
      .then(sweep)
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  }

  const timer = setInterval(() => {
    reap().catch((error: unknown) => log.error("expired results could not be removed", error));
  }, intervalMs);
  timer.unref();

  return {
    reap,
    sweep,
    async close() {
      clearInterval(timer);
      await underWay?.catch(() => {}); // the timer above has told of it
    },
  };
}
