import type { RunCounts, UnfinishedRuns } from "@quern/adapter";
import type { Queries } from "./database.ts";
import { executing } from "./run-records.ts";

// Partial indexes keep both parts fast, however many runs have ended.
const counts = `
  SELECT state, count(*) AS n, min(created_at) AS oldest FROM runs WHERE state = 'QUERY_STATE_READY' GROUP BY state
  UNION ALL
  SELECT state, count(*) AS n, NULL AS oldest FROM runs WHERE state IN ${executing} GROUP BY state`;

const unfinishedOfTenant = `
  SELECT user_id, sum(running)::bigint AS running, sum(queued)::bigint AS queued FROM (
    SELECT user_id, 0 AS running, count(*) AS queued FROM runs
    WHERE tenant_id = $1 AND state = 'QUERY_STATE_READY' GROUP BY user_id
    UNION ALL
    SELECT user_id, count(*) AS running, 0 AS queued FROM runs
    WHERE tenant_id = $1 AND state IN ${executing} GROUP BY user_id
  ) AS counted GROUP BY user_id ORDER BY user_id`;

/** Counts the unfinished runs of a tenant by user. */
export async function readUnfinishedRuns(queries: Queries, tenantId: string): Promise<readonly UnfinishedRuns[]> {
  const rows = await queries.rows(unfinishedOfTenant, tenantId);
  return rows.map(({ user_id, running, queued }) => ({
    userId: String(user_id),
    running: Number(running),
    queued: Number(queued),
  }));
}

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
