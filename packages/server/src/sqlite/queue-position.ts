import type { DatabaseSync } from "node:sqlite";
import type { RunRecord } from "@quern/query-run/record";

/** Members of a run that determine its position in the queue. */
export type QueuedRun = Pick<RunRecord, "id" | "tenantId" | "userId" | "createdAt">;

// Selects the position of a run in the order of `next` in `queue.ts`, among the waiting runs of its tenant. In each
// round, `next` takes one run of each user, in the same order. So before the n-th run of a user come n runs of each user
// before them, and n - 1 runs of each user after them, if these have as many.
const position = `
  WITH waiting AS (
    SELECT user_id, count(*) AS n, min(created_at) AS oldest, id FROM runs INDEXED BY runs_waiting
    WHERE tenant_id = :tenant AND state = 'QUERY_STATE_READY' GROUP BY user_id
  ),
  users AS (
    SELECT waiting.user_id, n, coalesce(turn, 0) AS turn, oldest, id
    FROM waiting LEFT JOIN turns ON turns.tenant_id = :tenant AND turns.user_id = waiting.user_id
  ),
  own AS (
    SELECT turn, oldest, id, (
      SELECT count(*) FROM runs INDEXED BY runs_waiting
      WHERE tenant_id = :tenant AND user_id = :user AND state = 'QUERY_STATE_READY' AND (created_at, id) <= (:created, :id)
    ) AS nth
    FROM users WHERE user_id = :user
  )
  SELECT sum(min(users.n, own.nth - ((users.turn, users.oldest, users.id) > (own.turn, own.oldest, own.id)))) AS position
  FROM users, own
  WHERE EXISTS (SELECT 1 FROM runs WHERE id = :id AND state = 'QUERY_STATE_READY')`;

/** Prepares a function that returns the position of a run in the queue of its tenant; undefined if it does not wait. */
export function prepareQueuePosition(database: DatabaseSync): (run: QueuedRun) => number | undefined {
  const statement = database.prepare(position);
  return ({ tenantId, userId, createdAt, id }) => {
    const found = statement.get({ tenant: tenantId, user: userId, created: createdAt, id })?.position ?? null;
    return found === null ? undefined : Number(found);
  };
}
