import { isUnavailableError, type RequestOfRun, type RunStore, type Store, type Withdrawal } from "@quern/adapter";
import type { Waiting } from "@quern/json-rpc/handler";
import { isFinal, type RunRecord } from "@quern/query-run/record";
import type { Refusal, RunEvent, Transition } from "@quern/query-run/transition";

/** Applies events to runs, and resumes the calls that wait for a run when the store reports its end. */
export interface RunChanges {
  /** Applies an event to a run. Returns undefined for an unknown run. */
  apply(runId: string, event: RunEvent): Promise<Transition | undefined>;
  /**
   * Applies the commit of an attempt to execute a run. Returns undefined if the run has its result, also if an earlier
   * call has committed it without an answer of the store; else the reason of the refusal.
   */
  commit(runId: string, event: Extract<RunEvent, { type: "committed" }>): Promise<Refusal | undefined>;
  /**
   * Withdraws a request, and cancels the run if no other request remains. Returns undefined if the run has no such
   * request of the user.
   */
  withdraw(request: RequestOfRun): Promise<Withdrawal | undefined>;
  /** Reclaims runs whose lease has expired. */
  reclaim: RunStore["reclaim"];
  /**
   * Waits until a run ends, and returns it. Returns the unfinished run when the time is over, the client disconnects,
   * the server closes, the store cannot be reached, or another run that the same HTTP request waits for ends.
   */
  waitForEnd(run: RunRecord, waitSeconds: number, waiting: Waiting): Promise<RunRecord>;
  close(): void;
}

/**
 * Milliseconds between reads of the runs that calls wait for, on a shared store. It bounds the delay of a call whose
 * notice was lost.
 */
const pollMs = 5_000;

/**
 * @param onEnded called once with each run that ends through `apply`, `commit`, `withdraw` or `reclaim`; not with a run
 *   that is created as canceled
 * @param onLost called with each run that lost its server, or its process or engine (`process`); it is queued again or
 *   has failed
 */
export function createRunChanges(
  store: Store,
  onEnded: (run: RunRecord) => void = () => {},
  onLost: (run: RunRecord, lost: "process" | "server") => void = () => {},
): RunChanges {
  const { runs } = store;
  const waiting = new Map<string, Set<() => void>>();
  let closed = false;

  function wake(runId: string): void {
    for (const resume of waiting.get(runId) ?? []) resume();
  }

  const unsubscribe = store.subscribe(({ runId, state }) => {
    if (isFinal(state)) wake(runId);
  });

  let isPolling = false;

  async function poll(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    try {
      for (const runId of [...waiting.keys()]) {
        const run = await runs.run(runId);
        if (run !== undefined && isFinal(run.state)) wake(runId);
      }
    } catch {
      // The calls report an error of the store themselves.
    } finally {
      isPolling = false;
    }
  }

  const timer = store.isShared ? setInterval(poll, pollMs) : undefined;
  timer?.unref();

  /** Registers a waiter that resumes when the run ends, the time is over or the signal is aborted. */
  function pause(runId: string, waitSeconds: number, signal: AbortSignal): { over: Promise<void>; end: () => void } {
    let resume = (): void => {};
    const over = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const resumes = waiting.get(runId) ?? new Set();
    waiting.set(runId, resumes.add(resume));
    const timer = setTimeout(resume, waitSeconds * 1_000);
    signal.addEventListener("abort", resume, { once: true });
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", resume);
      resumes.delete(resume);
      if (resumes.size === 0) waiting.delete(runId);
    };
    return { over, end };
  }

  async function waitForRun(run: RunRecord, waitSeconds: number, signal: AbortSignal): Promise<RunRecord> {
    if (isFinal(run.state) || closed || signal.aborted) return run;
    const { over, end } = pause(run.id, waitSeconds, signal);
    try {
      // The run may have ended after the caller read it and before `pause` registered this wait.
      const current = (await runs.run(run.id)) ?? run;
      if (isFinal(current.state)) return current;
      await over;
      return (await runs.run(run.id)) ?? run;
    } catch (error) {
      // The caller learns the id of its run, also if the store is lost while the call waits.
      if (isUnavailableError(error)) return run;
      throw error;
    } finally {
      end();
    }
  }

  async function apply(runId: string, event: RunEvent): Promise<Transition | undefined> {
    const change = await runs.apply(runId, event);
    if (change?.accepted && event.type === "workerLost") onLost(change.run, "process");
    if (change?.accepted && event.type !== "archived" && isFinal(change.run.state)) onEnded(change.run);
    return change;
  }

  return {
    apply,
    async commit(runId, event) {
      const change = await apply(runId, event);
      if (change?.accepted) return undefined;
      const run = await runs.run(runId);
      if (run?.state !== "QUERY_STATE_SUCCESS" || run.attempt !== event.attempt)
        return change?.refusal ?? "StaleAttempt"; // erased with its user
      onEnded(run); // the call that ended the run had no answer
      return undefined;
    },
    async withdraw(request) {
      const withdrawal = await runs.withdraw(request);
      if (withdrawal?.accepted && withdrawal.ended) onEnded(withdrawal.run);
      return withdrawal;
    },
    async reclaim(...loss) {
      const reclaimed = await runs.reclaim(...loss);
      for (const { run } of reclaimed) {
        onLost(run, "server");
        if (isFinal(run.state)) onEnded(run);
      }
      return reclaimed;
    },
    async waitForEnd(run, waitSeconds, { hold, endWaits }) {
      if (waitSeconds === 0) return run;
      const latest = await hold((over) => waitForRun(run, waitSeconds, over));
      if (isFinal(latest.state)) endWaits();
      return latest;
    },
    close() {
      closed = true;
      clearInterval(timer);
      unsubscribe();
      for (const runId of [...waiting.keys()]) wake(runId);
    },
  };
}
