/** Progress of the runs that this server executes. It is not stored. */
export interface RunProgress {
  /**
   * Tracks the progress of a run until the returned function is called.
   * @param share returns the completed share of the work, from 0 to 1; null if the engine does not report it
   */
  track(runId: string, share: () => number | null): () => void;
  /**
   * Returns the completed share of the work of a run, from 0 to 1. Returns undefined if another server executes the run,
   * or if its engine does not report the share.
   */
  of(runId: string): number | undefined;
}

export function createRunProgress(): RunProgress {
  const shares = new Map<string, () => number | null>();
  return {
    track(runId, share) {
      shares.set(runId, share);
      return () => {
        // A later attempt to execute the run may have replaced the function.
        if (shares.get(runId) === share) shares.delete(runId);
      };
    },
    of(runId) {
      const share = shares.get(runId)?.() ?? undefined;
      return share === undefined ? undefined : Math.min(Math.max(share, 0), 1);
    },
  };
}
