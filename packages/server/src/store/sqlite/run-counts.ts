import type { DatabaseSync } from "node:sqlite";
import type { RunCounts } from "@quern/adapter";
import { unfinished } from "./states.ts";

export function createSqliteRunCounts(database: DatabaseSync): () => Promise<RunCounts> {
  // The index of unfinished runs serves it, however many have ended.
  const byState = database.prepare(
    `SELECT state, count(*) AS n FROM runs INDEXED BY runs_unfinished WHERE state IN ${unfinished} GROUP BY state`,
  );
  return async () => {
    const counts = new Map(byState.all().map(({ state, n }) => [state, Number(n)]));
    const count = (state: string): number => counts.get(`QUERY_STATE_${state}`) ?? 0;
    return { ready: count("READY"), running: count("RUNNING"), streaming: count("STREAMING_RESULTS") };
  };
}
