import { randomUUID } from "node:crypto";
import type { ClaimedRun, Lease, Store } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import { type ExecutionDependencies, executeRun, type StopReason } from "./execution.ts";

export interface SchedulerOptions extends ExecutionDependencies {
  readonly store: Store;
  /** Maximum number of runs that execute at the same time. */
  readonly maxRunningRuns: number;
  /**
   * Milliseconds for which a run is leased. A run whose lease is not renewed in time counts as lost.
   * @default 30,000
   */
  readonly leaseMs?: number;
  /** Called before each claim; runs wait while it returns false. @default always true */
  readonly hasSpace?: () => Promise<boolean>;
  /** Called with each run that is claimed. */
  readonly onClaimed?: (run: RunRecord) => void;
}

/** Claims runs from the queue, executes them, and renews their leases. */
export interface Scheduler {
  /**
   * Recovers the runs that an earlier server lost, and starts to claim runs. From then on it also aborts the execution
   * of runs that are canceled.
   */
  start(): Promise<void>;
  /** Aborts the executing runs and returns them to the queue for the next server. */
  close(): Promise<void>;
}

interface Execution {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { store, changes, sources, log, maxRunningRuns, leaseMs = 30_000, hasSpace, onClaimed } = options;
  const lease: Lease = { owner: randomUUID(), ms: leaseMs };
  const executions = new Map<string, Execution>();
  // At most one loop claims runs. A wake-up during the loop sets the flag, so that no queued run is missed.
  let claiming: Promise<void> | undefined;
  let wokenAgain = false;
  let closing = false;
  let renewal: NodeJS.Timeout | undefined;
  let unsubscribe = (): void => {};

  async function claimRuns(): Promise<void> {
    do {
      wokenAgain = false;
      while (!closing && executions.size < maxRunningRuns) {
        if (hasSpace !== undefined && !(await hasSpace())) break; // the next renewal of leases checks again
        const claimed = await store.runs.claim(lease);
        if (claimed === undefined) break;
        begin(claimed);
      }
    } while (wokenAgain && !closing);
  }

  function begin(claimed: ClaimedRun): void {
    const { id } = claimed.run;
    onClaimed?.(claimed.run);
    const controller = new AbortController();
    const ended = executeRun(claimed, options, controller.signal)
      .catch((error: unknown) => log.error(`the end of run ${id} could not be stored`, error))
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
      cancelOrphan(lost).catch((error: unknown) =>
        log.error(`the engine could not cancel the query of the lost run ${lost.id}, which may still execute`, error),
      );
  }

  /** Cancels the query of a lost run on an engine whose queries outlive the process that began them. */
  async function cancelOrphan({ dataSourceId, engineQueryId }: RunRecord): Promise<void> {
    const source = sources.named(dataSourceId);
    if (engineQueryId == null || source === undefined) return;
    await sources.kindOf(source).cancel(source, engineQueryId);
  }

  /**
   * Renews the leases of the runs that execute here, and aborts the runs whose lease this server no longer has. Then
   * reclaims runs whose lease has expired. The runs that execute here are excluded: this process may have been
   * suspended for longer than a lease between the two changes.
   */
  async function renewLeases(): Promise<void> {
    const runIds = [...executions.keys()];
    const renewed = new Set(await store.runs.renew(lease, runIds));
    const lost = runIds.filter((runId) => !renewed.has(runId));
    for (const runId of lost) executions.get(runId)?.controller.abort("lost" satisfies StopReason);
    const working = [...executions.keys()].filter((runId) => !lost.includes(runId));
    await recoverLostRuns("its lease expired", working);
    wake();
  }

  function stop(runId: string): void {
    executions.get(runId)?.controller.abort("canceled" satisfies StopReason);
  }

  return {
    async start() {
      await recoverLostRuns("the server stopped", []);
      unsubscribe = store.subscribe(({ runId, state }) => {
        if (state === "QUERY_STATE_READY") wake();
        if (state === "QUERY_STATE_CANCELED") stop(runId);
      });
      // Two attempts before the lease expires, so that one may fail.
      renewal = setInterval(() => {
        renewLeases().catch((error: unknown) =>
          log.error("leases could not be renewed, or lost runs not recovered", error),
        );
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
