import { randomUUID } from "node:crypto";
import type { ClaimedRun, Lease, Store } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import type { WaitReasons } from "@quern/query-run/wire";
import { renewalMsOf } from "../adapters/storage-options.ts";
import { limitDefaults } from "../common/limits.ts";
import { untilAvailable } from "../common/unavailable.ts";
import { type ExecutionDependencies, executeRun, type StopReason } from "./execution.ts";
import { createSlots } from "./slots.ts";

export interface SchedulerOptions extends ExecutionDependencies {
  readonly store: Store;
  /** Maximum number of runs that execute at the same time on engines of this server. */
  readonly maxRunningRuns: number;
  /** Maximum number of runs that execute at the same time on each engine that has an address. @default 4 */
  readonly maxRunningRunsOfSource?: number;
  /** Identity of the server in leases, different for each start. @default a random one */
  readonly owner?: string;
  /** Milliseconds for which a run is leased. A run whose lease is not renewed in time counts as lost. */
  readonly leaseMs: number;
  /** Number of servers lost in a row at which a run fails, on a shared store. @default 10 */
  readonly maxLostServers?: number;
  /** Called before each claim; runs wait while it returns false. @default always true */
  readonly hasSpace?: () => Promise<boolean>;
  /** Called with each run that is claimed. */
  readonly onClaimed?: (run: RunRecord) => void;
}

/** Claims runs from the queue, executes them, and renews their leases. */
export interface Scheduler {
  /**
   * Recovers the runs that an earlier server lost, on a shared store not before its servers could renew their leases,
   * and starts to claim runs. From then on it also aborts the execution of runs that are canceled.
   */
  start(): Promise<void>;
  /**
   * Tells that a run is being submitted. It is then claimed by the commit that stores it, which saves a wait for the
   * disk. Does nothing if servers share the store, since their claims and submissions have no commit in common.
   */
  submitting(): void;
  /** Returns the reasons why this server starts no queued runs of some data sources at present. */
  waitReasons(): WaitReasons;
  /** Aborts the executing runs and returns them to the queue for the next server. */
  close(): Promise<void>;
}

interface Execution {
  readonly runId: string;
  readonly run: RunRecord;
  readonly beganAt: number;
  /** Time by `performance.now()` at which the lease ends, measured before the store was asked for it. */
  leaseEnd: number;
  /** False once only the commit of a small result is left: the next run can start. */
  hasSlot: boolean;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Milliseconds between reads of the queue of a shared store. */
const pollMs = 2_000;
/** Milliseconds between checks of the budgets of users whose runs execute. */
const budgetMs = 1_000;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { store, changes, sources, log, maxRunningRuns, leaseMs, hasSpace, onClaimed } = options;
  const { isShared } = store;
  const { maxLostServers = limitDefaults.maxLostServers } = options;
  const { maxRunningRunsOfSource = limitDefaults.maxRunningRunsOfSource, spentBudget } = options;
  const lease: Lease = { owner: options.owner ?? randomUUID(), ms: leaseMs };
  const renewalMs = renewalMsOf(leaseMs);
  // A run may be in the set twice: an attempt that this server has lost may take some time to end.
  const executions = new Set<Execution>();
  const working = (): readonly Execution[] => [...executions].filter(({ hasSlot }) => hasSlot);
  const slots = createSlots({ sources, executing: working, maxRunningRuns, maxRunningRunsOfSource });
  // At most one loop claims runs. A wake-up during the loop sets the flag, so that no queued run is missed.
  let claiming: Promise<void> | undefined;
  let wokenAgain = false;
  let closing = false;
  let timers: readonly NodeJS.Timeout[] = [];
  // On a shared store, the owners of runs have a renewal interval after an outage before their runs count as lost.
  let reclaimFrom = 0;
  let isReclaiming = false;
  /** Ends the retries of a renewal: aborted before the next renewal, and when the scheduler closes. */
  let retries = new AbortController();
  let unsubscribe = (): void => {};

  async function claimRuns(): Promise<void> {
    do {
      wokenAgain = false;
      while (!closing) {
        const free = slots.free();
        if (free === undefined) break;
        if (hasSpace !== undefined && !(await hasSpace())) break; // the next renewal of leases checks again
        const leaseEnd = performance.now() + leaseMs;
        const claimed = await store.runs.claim(lease, free).catch(noteOutage);
        if (claimed === undefined) break;
        begin(claimed, leaseEnd);
      }
    } while (wokenAgain && !closing);
  }

  function noteOutage(error: unknown): never {
    reclaimFrom = performance.now() + renewalMs + pollMs;
    throw error;
  }

  function begin(claimed: ClaimedRun, leaseEnd: number): void {
    const { id } = claimed.run;
    onClaimed?.(claimed.run);
    const controller = new AbortController();
    stop(id, "lost"); // an earlier attempt
    const onReleased = (): void => {
      execution.hasSlot = false;
      wake();
    };
    const ended = executeRun(claimed, options, controller.signal, onReleased)
      .catch((error: unknown) => log.error(`the end of run ${id} could not be stored`, error))
      .finally(() => {
        executions.delete(execution);
        wake();
      });
    const beganAt = performance.now();
    const execution: Execution = {
      runId: id,
      run: claimed.run,
      beganAt,
      leaseEnd,
      hasSlot: true,
      controller,
      ended,
    };
    executions.add(execution);
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

  /** Reclaims lost runs. On a shared store, a run may lose more servers than processes. */
  async function recoverLostRuns(reason: string, working: readonly string[]): Promise<void> {
    for (const { lost } of await changes
      .reclaim(reason, working, isShared ? maxLostServers : undefined)
      .catch(noteOutage))
      cancelOrphan(lost).catch((error: unknown) =>
        log.error(`the engine could not cancel the query of the lost run ${lost.id}, which may still execute`, error),
      );
  }

  /** Cancels the query of a lost run on an engine whose queries outlive the process that began them. */
  async function cancelOrphan({ dataSourceId, engineQueryId, tenantId, userId }: RunRecord): Promise<void> {
    const source = sources.named(dataSourceId);
    if (engineQueryId == null || source === undefined) return;
    await sources.kindOf(source).cancel(source, engineQueryId, { tenantId, userId });
  }

  /**
   * Renews the leases of the runs that execute here, and aborts the runs whose lease this server no longer has. Then
   * reclaims runs whose lease has expired, unless the store is shared, where `poll` does. The runs that execute here are
   * excluded: this process may have been suspended for longer than a lease between the two changes.
   */
  async function renewLeases(): Promise<void> {
    const leased = [...executions];
    const leaseEnd = performance.now() + leaseMs;
    const renewed = new Set(await store.runs.renew(lease, idsOf(leased)).catch(noteOutage));
    const lost = new Set<Execution>();
    for (const execution of leased) {
      // A slow renewal may end after a later one.
      if (renewed.has(execution.runId)) execution.leaseEnd = Math.max(execution.leaseEnd, leaseEnd);
      else lost.add(execution);
    }
    for (const { controller } of lost) controller.abort("lost" satisfies StopReason);
    const working = [...executions].filter((execution) => !lost.has(execution));
    if (!isShared) await recoverLostRuns("its lease expired", idsOf(working));
    wake();
  }

  /**
   * Renews the leases, and retries until the next interval while the store is away: with one attempt for each interval,
   * an outage of little more than an interval could end the leases.
   */
  async function keepLeases(): Promise<void> {
    retries.abort();
    retries = new AbortController();
    await untilAvailable(renewLeases, retries.signal);
  }

  /**
   * Aborts the runs whose lease ends soon, because it could not be renewed: another server may then execute them.
   * Not called if the store is not shared, since no other server executes its runs.
   */
  function stopUnleased(): void {
    const limit = performance.now() + leaseMs / 6;
    for (const { leaseEnd, controller } of executions)
      if (leaseEnd <= limit) controller.abort("lost" satisfies StopReason);
  }

  /** Reads the queue of a shared store, whose notices may be lost, and reclaims the runs of servers that have ended. */
  async function poll(): Promise<void> {
    wake();
    if (performance.now() < reclaimFrom || isReclaiming) return;
    isReclaiming = true;
    await recoverLostRuns("its lease expired", idsOf([...executions])).finally(() => {
      isReclaiming = false;
    });
  }

  /** Aborts the runs of users whose runs have used up their monthly budget meanwhile. */
  async function checkBudgets(): Promise<void> {
    const users = new Map([...executions].map(({ run }) => [JSON.stringify([run.tenantId, run.userId]), run]));
    for (const user of users.values()) {
      const own = [...executions].filter(({ run }) => run.tenantId === user.tenantId && run.userId === user.userId);
      const executingMs = own.reduce((sum, { beganAt }) => sum + performance.now() - beganAt, 0);
      if ((await spentBudget(user, executingMs)) === undefined) continue;
      for (const { controller } of own) controller.abort("budget" satisfies StopReason);
    }
  }

  function repeat(ms: number, failure: string, work: () => Promise<void>): NodeJS.Timeout {
    return setInterval(() => {
      work().catch((error: unknown) => log.error(failure, error));
    }, ms).unref();
  }

  function stop(id: string, reason: StopReason): void {
    for (const { runId, controller } of executions) if (runId === id) controller.abort(reason);
  }

  return {
    async start() {
      if (!isShared) await recoverLostRuns("the server stopped", []);
      unsubscribe = store.subscribe(({ runId, state }) => {
        if (state === "QUERY_STATE_READY") wake();
        if (state === "QUERY_STATE_CANCELED") stop(runId, "canceled");
      });
      timers = [
        repeat(renewalMs, "leases could not be renewed", keepLeases),
        repeat(budgetMs, "budgets could not be checked", checkBudgets),
      ];
      if (isShared) {
        reclaimFrom = performance.now() + renewalMs;
        timers = [
          ...timers,
          repeat(Math.min(pollMs, renewalMs), "lost runs could not be reclaimed", poll),
          repeat(renewalMs / 10, "runs could not be stopped", async () => stopUnleased()),
        ];
      }
      wake();
    },
    submitting() {
      if (!isShared) wake();
    },
    waitReasons: () => slots.waitReasons(),
    async close() {
      closing = true;
      retries.abort();
      unsubscribe();
      for (const timer of timers) clearInterval(timer);
      await claiming;
      const running = [...executions];
      for (const { controller } of running) controller.abort("closing" satisfies StopReason);
      await Promise.all(running.map(({ ended }) => ended));
    },
  };
}

/** Returns the ids of the runs, each once. */
function idsOf(executions: readonly Execution[]): readonly string[] {
  return [...new Set(executions.map(({ runId }) => runId))];
}
