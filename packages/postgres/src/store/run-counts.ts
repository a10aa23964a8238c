import type { RunCounts } from "@quern/adapter";
import type { Queries } from "./database.ts";
import { executing } from "./run-records.ts";

// Partial indexes keep both parts fast, however many runs have ended.
const counts = `
  SELECT state, count(*) AS n, min(created_at) AS oldest FROM runs WHERE state = 'QUERY_STATE_READY' GROUP BY state
  UNION ALL
  SELECT state, count(*) AS n, NULL AS oldest FROM runs WHERE state IN ${executing} GROUP BY state`;

/** Counts the unfinished runs of all tenants. */
export async function readRunCounts(queries: Queries): Promise<RunCounts> {
  const found = new Map((await queries.rows(counts)).map((row) => [row.state, row]));
  const oldest = found.get("QUERY_STATE_READY")?.oldest ?? null;
  const count = (state: string) => Number(found.get(state)?.n ?? 0);
  return {
    ready: count("QUERY_STATE_READY"),
    running: count("QUERY_STATE_RUNNING"),
    streaming: count("QUERY_STATE_STREAMING_RESULTS"),
    oldestReadyAt: oldest === null ? null : Number(oldest),
  };
}
