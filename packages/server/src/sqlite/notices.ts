import type { RunNotice } from "@quern/adapter";
import { isFinal, type RunRecord } from "@quern/query-run/record";
import type { Commits } from "./group-commit.ts";

/** Commits that notify subscribers of changed runs after the change. */
export interface Notices extends Commits {
  /**
   * Notes a run whose state has changed. Subscribers are notified after the commit if the run is queued or has ended.
   * Called within a change.
   */
  note(run: RunRecord): void;
  subscribe(listener: (notice: RunNotice) => void): () => void;
}

interface Noted<T> {
  readonly outcome: T;
  readonly notices: ReadonlyMap<string, RunNotice>;
}

type Change<T> = (work: () => T) => Promise<T>;

export function createNotices(commits: Commits): Notices {
  const listeners = new Set<(notice: RunNotice) => void>();
  // Changes are synchronous and run one after the other, so that one variable serves all of them.
  let noted = new Map<string, RunNotice>();

  async function notifying<T>(change: Change<Noted<T>>, work: () => T): Promise<T> {
    const { outcome, notices } = await change(() => {
      noted = new Map();
      return { outcome: work(), notices: noted };
    });
    for (const notice of notices.values()) for (const listener of listeners) listener(notice);
    return outcome;
  }

  return {
    note({ id, state }) {
      if (state === "QUERY_STATE_READY" || isFinal(state)) noted.set(id, { runId: id, state });
    },
    subscribe(listener) {
      // A new function for each subscription, so that a listener may subscribe twice.
      const call = (notice: RunNotice): void => listener(notice);
      listeners.add(call);
      return () => void listeners.delete(call);
    },
    change: (work) => notifying((noting) => commits.change(noting), work),
    changeUnflushed: (work) => notifying((noting) => commits.changeUnflushed(noting), work),
  };
}
