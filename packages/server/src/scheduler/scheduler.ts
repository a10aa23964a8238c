import { randomUUID } from "node:crypto";
import type { ClaimedRun, Lease, Store } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import { type ExecutionDependencies, executeRun, type StopReason } from "./execution.ts";

export interface SchedulerOptions extends ExecutionDependencies {
  readonly store: Store;
  /** Most runs that execute at once. */
  readonly maxRunningRuns: number;
  /** A run whose lease was not renewed for so long is taken for lost; 30,000 where left out. */
  readonly leaseMs?: number;
  /** Asked before each run is taken: while it says no, runs wait. Left out, there is room always. */
  readonly hasSpace?: () => Promise<boolean>;
}

/** Gives waiting runs to the executor, and holds the leases on those that execute. */
export interface Scheduler {
  /**
   * Puts runs whose lease is over back into the queue, and begins: takes runs as they are queued, and stops those that are
   * canceled.
   */
  start(): Promise<void>;
  /** Gives the runs that execute back to the queue, for the next server. */
  close(): Promise<void>;
}

interface Execution {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { store, changes, sources, log, maxRunningRuns, leaseMs = 30_000, hasSpace } = options;
  const lease: Lease = { owner: randomUUID(), ms: leaseMs };
  const executions = new Map<string, Execution>();
  let claiming: Promise<void> | undefined;
  let wokenAgain = false;
  let closing = false;
  let renewal: NodeJS.Timeout | undefined;
  let unsubscribe = (): void => {};

  async function claimRuns(): Promise<void> {
    do {
      wokenAgain = false;
      while (!closing && executions.size < maxRunningRuns) {
        if (hasSpace !== undefined && !(await hasSpace())) break; // the next renewal of leases asks again
        const claimed = await store.runs.claim(lease);
        if (claimed === undefined) break;
        begin(claimed);
      }
    } while (wokenAgain && !closing);
  }

  function begin(claimed: ClaimedRun): void {
    const { id } = claimed.run;
    const controller = new AbortController();
    const ended = executeRun(claimed, options, controller.signal)
      .catch((error: unknown) => log.error(`run ${id} could not be brought to an end`, error))
      .finally(() => {
        executions.delete(id);
        wake();
      });
    executions.set(id, { controller, ended });
  }

  function wake(): void {
    wokenAgain = true;
    claiming ??= claimRuns()
      .catch((error: unknown) => log.error("runs could not be claimed", error))
      .finally(() => {
        claiming = undefined;
        if (wokenAgain && !closing) wake();
      });
  }

  async function recoverLostRuns(reason: string, working: readonly string[]): Promise<void> {
    for (const { lost } of await changes.reclaim(reason, working))
      cancelOrphan(lost).catch((error: unknown) => log.error(`the query of run ${lost.id} may still run`, error));
  }

  /** Ends the query of a lost run on an engine that does not end it by itself. */
  async function cancelOrphan({ dataSourceId, engineQueryId }: RunRecord): Promise<void> {
    const source = sources.named(dataSourceId);
    if (engineQueryId == null || source === undefined) return;
    await sources.kindOf(source).cancel(source, engineQueryId);
  }

  /** Runs that this server still has are not lost, though it was held up itself between the two changes. */
  async function keepLeases(): Promise<void> {
    const runIds = [...executions.keys()];
    const kept = new Set(await store.runs.renew(lease, runIds));
    const lost = runIds.filter((runId) => !kept.has(runId));
    for (const runId of lost) executions.get(runId)?.controller.abort("lost" satisfies StopReason);
    const working = [...executions.keys()].filter((runId) => !lost.includes(runId));
    await recoverLostRuns("its lease was over", working);
    wake();
  }

  function stop(runId: string): void {
    executions.get(runId)?.controller.abort("canceled" satisfies StopReason);
  }

  return {
    async start() {
      await recoverLostRuns("the server was ended", []);
      unsubscribe = store.subscribe(({ runId, state }) => {
        if (state === "QUERY_STATE_READY") wake();
        if (state === "QUERY_STATE_CANCELED") stop(runId);
      });
      renewal = setInterval(() => {
        keepLeases().catch((error: unknown) => log.error("leases could not be renewed", error));
      }, leaseMs / 3);
      renewal.unref();
      wake();
    },
    async close() {
      closing = true;
      unsubscribe();
      clearInterval(renewal);
      await claiming;
      const running = [...executions.values()];
      for (const { controller } of running) controller.abort("closing" satisfies StopReason);
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}
