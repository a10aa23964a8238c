import type { DatabaseSync } from "node:sqlite";
import type { RunCounts } from "../run-counts.ts";

export function createSqliteRunCounts(database: DatabaseSync): RunCounts {
  const inState = database.prepare("SELECT count(*) AS n FROM runs WHERE state = ?");
  const count = (state: string): number => Number(inState.get(`QUERY_STATE_${state}`)?.n);
  return async () => ({ ready: count("READY"), running: count("RUNNING"), streaming: count("STREAMING_RESULTS") });
}
