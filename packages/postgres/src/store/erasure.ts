import type { ErasedRecords, UserOfTenant } from "@quern/adapter";
import { type Instant, isFinal, type RequestRecord } from "@quern/query-run/record";
import { applyEvent, save } from "./changes.ts";
import { readClock } from "./clock.ts";
import type { Queries, Row } from "./database.ts";
import type { AddNotice } from "./notices.ts";
import { deleteRuns, parsed, readRun, replaceTags, runColumns, type StoredRun, storedRun } from "./run-records.ts";

const others = "SELECT record, withdrawn_at FROM requests WHERE run_id = $1 ORDER BY created_at, nth";

/** Erases records of a user, of up to `limit` runs. */
export async function erase(
  queries: Queries,
  addNotice: AddNotice,
  { tenantId, userId }: UserOfTenant,
  limit: number,
): Promise<ErasedRecords> {
  const now = await readClock(queries);
  await queries.rows(
    `DELETE FROM idempotency_keys WHERE request_id IS NULL
      AND api_key_id IN (SELECT id FROM keys WHERE tenant_id = $1 AND user_id = $2)`,
    tenantId,
    userId,
  );
  // Texts of filters have no user. Whoever has a link with filters or an order requests another one.
  await queries.rows("DELETE FROM link_views");
  await queries.rows("DELETE FROM turns WHERE tenant_id = $1 AND user_id = $2", tenantId, userId);
  const requested = await queries.rows(
    "SELECT created_at, id FROM requested_runs WHERE tenant_id = $1 AND user_id = $2 LIMIT $3",
    tenantId,
    userId,
    limit,
  );
  const ids = requested.map(({ id }) => String(id));
  // No other user can join these runs until the erasure is committed.
  const locked = await queries.rows(
    `SELECT ${runColumns}, state FROM runs WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE`,
    ids,
  );
  await deleteRequests(queries, { tenantId, userId }, ids);
  const shared: StoredRun[] = [];
  const own: StoredRun[] = [];
  for (const stored of locked.map(storedRun)) {
    const rest = await queries.rows(others, stored.run.id);
    if (rest.length === 0) own.push(stored);
    else {
      await keepForOthers(queries, addNotice, stored, userId, rest, now);
      shared.push(stored);
    }
  }
  const statements = await deleteRuns(
    queries,
    own.map(({ run }) => run.id),
  );
  const executingRuns = own.filter(({ run }) => !isFinal(run.state) && run.state !== "QUERY_STATE_READY").length;
  return { runs: own.length, executingRuns, sharedRuns: shared.length, statements };
}

/** Deletes the requests of a user, with all idempotency keys that the callers of these requests have withdrawn. */
async function deleteRequests(
  queries: Queries,
  { tenantId, userId }: UserOfTenant,
  runIds: readonly string[],
): Promise<void> {
  // A caller with tokens has no row in the table `keys`; its requests have its `api_key_id`.
  await queries.rows(
    `DELETE FROM idempotency_keys WHERE request_id IS NULL
      AND api_key_id IN (SELECT api_key_id FROM requests WHERE run_id = ANY($1::text[]) AND user_id = $2)`,
    runIds,
    userId,
  );
  await queries.rows("DELETE FROM requests WHERE run_id = ANY($1::text[]) AND user_id = $2", runIds, userId);
  await queries.rows(
    "DELETE FROM requested_runs WHERE tenant_id = $1 AND user_id = $2 AND id = ANY($3::text[])",
    tenantId,
    userId,
    runIds,
  );
}

/**
 * Gives a run of the user the name and the tags of its first other request. Cancels an unfinished run if all other
 * requests are withdrawn.
 */
async function keepForOthers(
  queries: Queries,
  addNotice: AddNotice,
  before: StoredRun,
  userId: string,
  requests: readonly Row[],
  now: Instant,
): Promise<void> {
  if (before.run.userId === userId) {
    const { userId: nextUserId, tags } = parsed<RequestRecord>(requests[0]?.record);
    await save(queries, addNotice, before, { ...before.run, userId: nextUserId, tags, traceparent: undefined });
    await replaceTags(queries, { ...before.run, tags });
  }
  const isWanted = requests.some(({ withdrawn_at }) => withdrawn_at === null);
  const kept = await readRun(queries, before.run.id);
  if (kept !== undefined && !isWanted && !isFinal(kept.run.state))
    await applyEvent(queries, addNotice, kept, { type: "canceled" }, now);
}
