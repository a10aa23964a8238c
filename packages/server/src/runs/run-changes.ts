import type { RequestOfRun, RunStore } from "@quern/adapter";
import type { Waiting } from "@quern/json-rpc/handler";
import { isFinal, type RunRecord } from "@quern/query-run/record";
import type { RunEvent, Transition } from "@quern/query-run/transition";
import type { Clock } from "../common/clock.ts";

/** Applies what happens to runs, and wakes those who wait for a run to end. */
export interface RunChanges {
  /** Undefined when there is no such run. */
  apply(runId: string, event: RunEvent): Promise<Transition | undefined>;
  /** Withdraws a request, and cancels the run with its last one. Undefined when the run has no such request of the user. */
  withdraw(request: RequestOfRun): Promise<Transition | undefined>;
  /**
   * The run once it has ended, or as it is when the time is over, the caller gone, another run that the same HTTP
   * request waits for has ended, or the server is closing.
   */
  settled(run: RunRecord, waitSeconds: number, waiting: Waiting): Promise<RunRecord>;
  close(): void;
}

/** @param onEnded hears of each run once, when it ends */
export function createRunChanges(
  store: RunStore,
  clock: Clock,
  onEnded: (run: RunRecord) => void = () => {},
): RunChanges {
  const waiting = new Map<string, Set<() => void>>();
  let closed = false;

  function wake(runId: string): void {
    for (const resume of waiting.get(runId) ?? []) resume();
  }

  function told(change: Transition | undefined, ends: boolean): Transition | undefined {
    if (change?.accepted && isFinal(change.run.state)) {
      wake(change.run.id);
      if (ends) onEnded(change.run);
    }
    return change;
  }

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

  async function ended(run: RunRecord, waitSeconds: number, signal: AbortSignal): Promise<RunRecord> {
    if (isFinal(run.state) || closed || signal.aborted) return run;
    const { over, end } = pause(run.id, waitSeconds, signal);
    try {
      // The run may have ended after it was read and before we waited.
      const current = (await store.run(run.id)) ?? run;
      if (isFinal(current.state)) return current;
      await over;
      return (await store.run(run.id)) ?? run;
    } finally {
      end();
    }
  }

  return {
    apply: async (runId, event) => told(await store.apply(runId, event, clock.now()), event.type !== "archived"),
    async withdraw(request) {
      const before = await store.run(request.runId);
      const ends = before !== undefined && !isFinal(before.state);
      return told(await store.withdraw(request, clock.now()), ends);
    },
    async settled(run, waitSeconds, { hold, settle }) {
      if (waitSeconds === 0) return run;
      const settled = await hold((over) => ended(run, waitSeconds, over));
      if (isFinal(settled.state)) settle();
      return settled;
    },
    close() {
      closed = true;
      for (const runId of [...waiting.keys()]) wake(runId);
    },
  };
}
