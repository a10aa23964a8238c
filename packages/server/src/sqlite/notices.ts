import type { RunNotice } from "@quern/adapter";
import { isFinal, type RunRecord } from "@quern/query-run/record";
import type { Commits } from "./group-commit.ts";

/** Commits that notify subscribers of changed runs after the change. */
export interface Notices extends Commits {
  /**
   * Adds a notice of a run whose state has changed. Subscribers are notified after the commit if the run is queued or has ended.
   * Called within a change.
   */
  addNotice(run: RunRecord): void;
  subscribe(listener: (notice: RunNotice) => void): () => void;
}

interface WithNotices<T> {
  readonly outcome: T;
  readonly notices: ReadonlyMap<string, RunNotice>;
}

type Change<T> = (work: () => T) => Promise<T>;

export function createNotices(commits: Commits): Notices {
  const listeners = new Set<(notice: RunNotice) => void>();
  // Changes are synchronous and run one after the other, so that one variable serves all of them.
  let pending = new Map<string, RunNotice>();

  async function notifying<T>(change: Change<WithNotices<T>>, work: () => T): Promise<T> {
    const { outcome, notices } = await change(() => {
      pending = new Map();
      return { outcome: work(), notices: pending };
    });
    for (const notice of notices.values()) for (const listener of listeners) listener(notice);
    return outcome;
  }

  return {
    addNotice({ id, state }) {
      if (state === "QUERY_STATE_READY" || isFinal(state)) pending.set(id, { runId: id, state });
    },
    subscribe(listener) {
      // A new function for each subscription, so that a listener may subscribe twice.
      const call = (notice: RunNotice): void => listener(notice);
      listeners.add(call);
      return () => void listeners.delete(call);
    },
    change: (work) => notifying((collecting) => commits.change(collecting), work),
    changeUnflushed: (work) => notifying((collecting) => commits.changeUnflushed(collecting), work),
  };
}
