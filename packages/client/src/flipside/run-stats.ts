import type { QueryRun } from "@quern/protocol/types";

/** Times and sizes of a run. */
export interface QueryRunStats {
  startedAt: Date;
  endedAt: Date;
  elapsedSeconds: number;
  queryExecStartedAt: Date;
  queryExecEndedAt: Date;
  streamingStartedAt: Date;
  streamingEndedAt: Date;
  queuedSeconds: number;
  streamingSeconds: number;
  queryExecSeconds: number;
  bytes: number;
  recordCount: number;
}

/** Returns the times and sizes of a run; null if one of the times is missing, as in a run that has not ended. */
export function runStats(run: QueryRun): QueryRunStats | null {
  const { createdAt, startedAt, queryRunningEndedAt, queryStreamingEndedAt, endedAt } = run;
  if (!createdAt || !startedAt || !queryRunningEndedAt || !queryStreamingEndedAt || !endedAt) return null;
  const times = { startedAt: new Date(startedAt), endedAt: new Date(endedAt) };
  const executed = { queryExecStartedAt: times.startedAt, queryExecEndedAt: new Date(queryRunningEndedAt) };
  const streamed = { streamingStartedAt: executed.queryExecEndedAt, streamingEndedAt: new Date(queryStreamingEndedAt) };
  return {
    ...times,
    ...executed,
    ...streamed,
    elapsedSeconds: secondsBetween(times.startedAt, times.endedAt),
    queuedSeconds: secondsBetween(new Date(createdAt), times.startedAt),
    queryExecSeconds: secondsBetween(executed.queryExecStartedAt, executed.queryExecEndedAt),
    streamingSeconds: secondsBetween(streamed.streamingStartedAt, streamed.streamingEndedAt),
    bytes: Number(run.totalSize ?? 0),
    recordCount: run.rowCount ?? 0,
  };
}

function secondsBetween(start: Date, end: Date): number {
  return (end.getTime() - start.getTime()) / 1000;
}
