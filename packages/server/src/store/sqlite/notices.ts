import type { RunNotice } from "@quern/adapter";
import { isFinal, type RunRecord } from "@quern/query-run/record";
import type { Commits } from "./group-commit.ts";

/** Changes of runs, which subscribers hear of once they are on disk. */
export interface Notices extends Commits {
  /** Called within a change for each run that it brings into another state. */
  note(run: RunRecord): void;
  subscribe(listener: (notice: RunNotice) => void): () => void;
}

export function createNotices(commits: Commits): Notices {
  const listeners = new Set<(notice: RunNotice) => void>();
  // Changes are made one after the other, each to its end.
  let noted = new Map<string, RunNotice>();
  return {
    note({ id, state }) {
      if (state === "QUERY_STATE_READY" || isFinal(state)) noted.set(id, { runId: id, state });
    },
    subscribe(listener) {
      // An object of its own, so that one function may subscribe twice.
      const call = (notice: RunNotice): void => listener(notice);
      listeners.add(call);
      return () => void listeners.delete(call);
    },
    async change(work) {
      const { outcome, notices } = await commits.change(() => {
        noted = new Map();
        return { outcome: work(), notices: noted };
      });
      for (const notice of notices.values()) for (const listener of listeners) listener(notice);
      return outcome;
    },
  };
}
