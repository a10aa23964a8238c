import { randomUUID } from "node:crypto";
import type { ClaimedRun, Lease, RunStore } from "@quern/adapter";
import type { Instant, RunRecord } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";
import { type ExecutionRoom, executeRun, type StopReason } from "./execution.ts";

export interface SchedulerOptions extends ExecutionRoom {
  readonly store: RunStore;
  readonly clock: Clock;
  /** Most runs that execute at once. */
  readonly maxRunningRuns: number;
  /** A run whose lease was not renewed for so long is taken for lost; 30,000 where left out. */
  readonly leaseMs?: number;
  /** Asked before each run is taken: while it says no, runs wait. Left out, there is room always. */
  readonly hasRoom?: () => Promise<boolean>;
}

/** Gives waiting runs to the executor, and holds the leases on those that execute. */
export interface Scheduler {
  /** Puts runs that a dead server left behind back into the queue, and begins. */
  start(): Promise<void>;
  /** There may be a run to take. */
  wake(): void;
  /** Stops the execution of a run that has been canceled. */
  stop(runId: string): void;
  /** Gives the runs that execute back to the queue, for the next server. */
  close(): Promise<void>;
}

interface Execution {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { store, clock, changes, sources, log, maxRunningRuns, leaseMs = 30_000, hasRoom } = options;
  const lease: Lease = { owner: randomUUID(), ms: leaseMs };
  const executions = new Map<string, Execution>();
  let claiming: Promise<void> | undefined;
  let wokenAgain = false;
  let closing = false;
  let renewal: NodeJS.Timeout | undefined;

  async function claimRuns(): Promise<void> {
    do {
      wokenAgain = false;
      while (!closing && executions.size < maxRunningRuns) {
        if (hasRoom !== undefined && !(await hasRoom())) break; // the next renewal of leases asks again
        const claimed = await store.claim(lease, clock.now());
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

  async function recoverLostRuns(reason: string, now: Instant): Promise<void> {
    for (const run of await store.lost(lease.owner, now)) {
      await changes.apply(run.id, { type: "workerLost", attempt: run.attempt, reason });
      cancelOrphan(run).catch((error: unknown) => log.error(`the query of run ${run.id} may still run`, error));
    }
  }

  /** Ends the query of a lost run on an engine that does not end it by itself. */
  async function cancelOrphan({ dataSourceId, engineQueryId }: RunRecord): Promise<void> {
    const source = sources.named(dataSourceId);
    if (engineQueryId == null || source === undefined) return;
    await sources.kindOf(source).cancel(source, engineQueryId);
  }

  /** First the own leases, and all at one instant, so that none is lost because this server itself was held up. */
  async function keepLeases(): Promise<void> {
    const runIds = [...executions.keys()];
    const now = clock.now();
    const kept = new Set(await store.renew(lease, runIds, now));
    for (const runId of runIds) {
      if (!kept.has(runId)) executions.get(runId)?.controller.abort("lost" satisfies StopReason);
    }
    await recoverLostRuns("its lease was over", now);
    wake();
  }

  return {
    wake,
    async start() {
      await recoverLostRuns("the server was ended", clock.now());
      renewal = setInterval(() => {
        keepLeases().catch((error: unknown) => log.error("leases could not be renewed", error));
      }, leaseMs / 3);
      renewal.unref();
      wake();
    },
    stop(runId) {
      executions.get(runId)?.controller.abort("canceled" satisfies StopReason);
    },
    async close() {
      closing = true;
      clearInterval(renewal);
      await claiming;
      const running = [...executions.values()];
      for (const { controller } of running) controller.abort("closing" satisfies StopReason);
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}
