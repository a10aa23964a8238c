import type { ResultStore, RunStore } from "@quern/adapter";
import { recordRetentionMs } from "@quern/query-run/retention";
import type { Clock } from "../common/clock.ts";
import type { Log } from "../common/log.ts";
import type { RunChanges } from "../runs/run-changes.ts";

export interface ReaperOptions {
  readonly store: RunStore;
  readonly changes: RunChanges;
  readonly results: ResultStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly intervalMs: number;
}

/** Removes results, and later the records of runs, whose retention is over, and files that belong to no run. */
export interface Reaper {
  /** Removes what is due now. */
  reap(): Promise<void>;
  close(): Promise<void>;
}

const forgottenAtOnce = 100;

export function createReaper({ store, changes, results, clock, log, intervalMs }: ReaperOptions): Reaper {
  let underWay: Promise<void> | undefined;

  async function removeExpired(): Promise<void> {
    for (const run of await store.expired(clock.now())) {
      // The record first: a crash in between leaves a file without an owner, never an owner without its file.
      const archived = await changes.apply(run.id, { type: "archived" });
      if (archived?.accepted) await results.remove(run);
    }
  }

  async function forgetEnded(): Promise<void> {
    const endedBefore = clock.now() - recordRetentionMs;
    // In parts, so that other changes come in between.
    while ((await store.forget(endedBefore, forgottenAtOnce)) === forgottenAtOnce);
  }

  function reap(): Promise<void> {
    underWay ??= removeExpired()
      .then(forgetEnded)
      .then(() => results.sweep((runId) => store.run(runId)))
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
    async close() {
      clearInterval(timer);
      await underWay?.catch(() => {}); // the timer above has told of it
    },
  };
}
