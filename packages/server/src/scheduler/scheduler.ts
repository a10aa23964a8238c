import type { Clock } from "../clock.ts";
import type { ClaimedRun, RunStore } from "../store/run-store.ts";
import { type ExecutionRoom, executeRun, type StopReason } from "./execution.ts";

export interface SchedulerOptions extends ExecutionRoom {
  readonly store: RunStore;
  readonly clock: Clock;
  /** Most runs that execute at once. */
  readonly maxRunningRuns: number;
}

/** Gives waiting runs to the executor, the oldest first. */
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
  const { store, clock, changes, log, maxRunningRuns } = options;
  const executions = new Map<string, Execution>();
  let claiming: Promise<void> | undefined;
  let wokenAgain = false;
  let closing = false;

  async function claimRuns(): Promise<void> {
    do {
      wokenAgain = false;
      while (!closing && executions.size < maxRunningRuns) {
        const claimed = await store.claim(clock.now());
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

  return {
    wake,
    async start() {
      for (const run of await store.inState(["QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS"])) {
        await changes.apply(run.id, { type: "workerLost", attempt: run.attempt, reason: "the server was ended" });
      }
      wake();
    },
    stop(runId) {
      executions.get(runId)?.controller.abort("canceled" satisfies StopReason);
    },
    async close() {
      closing = true;
      await claiming;
      const running = [...executions.values()];
      for (const { controller } of running) controller.abort("closing" satisfies StopReason);
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}
