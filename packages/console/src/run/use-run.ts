import type { QuernError, QueryRun } from "@quern/client";
import { getQueryRunOptions, useMethod } from "@quern/react";
import { isFinal } from "./run-state.ts";

interface FollowedRun {
  /** The run as last reported; undefined until the first report. */
  readonly run: QueryRun | undefined;
  /** Failure of the last poll. Polling goes on. */
  readonly error: QuernError | null;
}

/** Polls a run until it has ended, for its state, its position in the queue and its progress. */
export function useRun(queryRunId: string): FollowedRun {
  const { data, error } = useMethod(
    getQueryRunOptions,
    { queryRunId },
    {
      staleTime: Infinity,
      refetchInterval: ({ state }) => {
        const { data: last, dataUpdateCount, error } = state;
        if (last !== undefined && isFinal(last.queryRun.state)) return false;
        // A run that does not exist will not exist later.
        if (error?.kind === "rpc" && last === undefined) return false;
        return dataUpdateCount < 10 ? 150 : 600;
      },
      refetchIntervalInBackground: true,
    },
  );
  return { run: data?.queryRun, error };
}
