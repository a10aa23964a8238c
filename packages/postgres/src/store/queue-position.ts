import type { RunRecord } from "@quern/query-run/record";
import type { Queries } from "./database.ts";

// Selects the position of a run in the order in which `queue.ts` claims, among the waiting runs of its tenant. In each
// round it takes one run of each user, in the same order. So before the n-th run of a user come n runs of each user
// before them, and n - 1 runs of each user after them, if these have as many.
const position = `
  WITH waiting AS (
    SELECT user_id, count(*) AS n, (array_agg(created_at ORDER BY created_at, id))[1] AS oldest,
      (array_agg(id ORDER BY created_at, id))[1] AS id
    FROM runs WHERE tenant_id = $1 AND state = 'QUERY_STATE_READY' GROUP BY user_id
  ),
  users AS (
    SELECT waiting.user_id, n, coalesce(turn, 0) AS turn, oldest, id
    FROM waiting LEFT JOIN turns ON turns.tenant_id = $1 AND turns.user_id = waiting.user_id
  ),
  own AS (
    SELECT turn, oldest, id, (
      SELECT count(*) FROM runs
      WHERE tenant_id = $1 AND user_id = $2 AND state = 'QUERY_STATE_READY' AND (created_at, runs.id) <= ($3::bigint, $4)
    ) AS nth
    FROM users WHERE user_id = $2
  )
  SELECT sum(least(users.n, own.nth - CASE WHEN (users.turn, users.oldest, users.id) > (own.turn, own.oldest, own.id)
    THEN 1 ELSE 0 END))::bigint AS position
  FROM users, own
  WHERE EXISTS (SELECT 1 FROM runs WHERE runs.id = $4 AND state = 'QUERY_STATE_READY')`;

/** Returns the position of a run in the queue of its tenant; undefined if it does not wait. */
export async function queuePosition(
  queries: Queries,
  { tenantId, userId, createdAt, id }: RunRecord,
): Promise<number | undefined> {
  const [row] = await queries.rows(position, tenantId, userId, createdAt, id);
  return typeof row?.position === "number" ? row.position : undefined;
}
