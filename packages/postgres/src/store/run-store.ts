import type { RunStore, Withdrawal } from "@quern/adapter";
import type { RunRecord, StatementRecord } from "@quern/query-run/record";
import { type RunEvent, type Transition, transition } from "@quern/query-run/transition";
import { applyEvent } from "./changes.ts";
import { createClaims } from "./claims.ts";
import { readClock } from "./clock.ts";
import { conflict, type Database } from "./database.ts";
import { erase } from "./erasure.ts";
import { withdrawKey } from "./idempotency.ts";
import type { Notices } from "./notices.ts";
import { reclaim, renew } from "./queue.ts";
import { queuePosition } from "./queue-position.ts";
import { latestRequest, listRuns } from "./run-list.ts";
import { deleteRuns, lockRun, parsed, readRun, runColumns, type StoredRun, saveRun, storedRun } from "./run-records.ts";
import { createSubmit } from "./submissions.ts";

/** @param reclaimDelayMs milliseconds after the start and after each outage in which no run is reclaimed */
export function createPostgresRunStore(database: Database, notices: Notices, reclaimDelayMs: number): RunStore {
  return {
    submit: createSubmit(database, notices),
    run: async (id) => (await readRun(database, id))?.run,
    async statement(tenantId, id) {
      const [row] = await database.rows("SELECT record FROM statements WHERE tenant_id = $1 AND id = $2", tenantId, id);
      return row && parsed<StatementRecord>(row.record);
    },
    async hasRequested(userId, { id, tenantId, createdAt }) {
      const found = await database.rows(
        "SELECT 1 FROM requested_runs WHERE tenant_id = $1 AND user_id = $2 AND created_at = $3 AND id = $4",
        ...[tenantId, userId, createdAt, id],
      );
      return found.length > 0;
    },
    latestRequest: (sqlStatementId, visible) => latestRequest(database, sqlStatementId, visible),
    list: (query, now, waitReason) => listRuns(database, query, now, waitReason),
    apply: (runId, event) => apply(database, notices, runId, event),
    claim: createClaims(database),
    queuePosition: (run) => queuePosition(database, run),
    renew: (lease, runIds) => renew(database, lease, runIds),
    async reclaim(reason, working, maxLostServers) {
      if (database.connectedMs() < reclaimDelayMs) {
        await readClock(database); // an outage is reported, and its end is noticed
        return [];
      }
      return notices.change((queries, note) =>
        reclaim(queries, note, { reason, working, maxLostServers, delayMs: reclaimDelayMs }),
      );
    },
    withdraw: (request) => withdraw(notices, request),
    withdrawKey: (key) => database.transaction((queries) => withdrawKey(queries, key)),
    async expired() {
      const rows = await database.rows(
        `SELECT ${runColumns} FROM runs WHERE archived_at IS NULL AND expires_at <= now_ms() ORDER BY expires_at LIMIT 1000`,
      );
      return rows.map((row) => storedRun(row).run);
    },
    purge: (retentionMs, limit) => purge(database, retentionMs, limit),
    erase: (user, limit) => notices.change((queries, note) => erase(queries, note, user, limit)),
  };
}

const maxTries = 20;

/** Applies an event by compare-and-set: two statements, of which the second changes the run if it is as it was read. */
async function apply(
  database: Database,
  notices: Notices,
  runId: string,
  event: RunEvent,
): Promise<Transition | undefined> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const [row] = await database.rows(`SELECT ${runColumns}, now_ms() AS now FROM runs WHERE id = $1`, runId);
    if (row === undefined) return undefined;
    const before = storedRun(row);
    const next = transition(before.run, event, Number(row.now));
    if (!next.accepted || next.run === before.run) return next;
    const saved = await saveWithin(database, before, next.run, event);
    if (saved === "StorageQuotaExceeded") return { accepted: false, refusal: saved };
    if (saved === "changed") continue;
    if (next.run.state !== before.run.state) notices.publishRun(next.run, before.version + 1);
    return next;
  }
  throw conflict;
}

/**
 * Stores a changed run, a result only within the quota of its tenant. A trigger adds the size of the result to the sum of
 * the tenant, whose row stays locked until the commit, so that no result is added in between.
 * @returns `changed` if another writer has changed the run since it was read
 */
async function saveWithin(
  database: Database,
  before: StoredRun,
  run: RunRecord,
  event: RunEvent,
): Promise<"saved" | "changed" | "StorageQuotaExceeded"> {
  const outcomeOf = (isSaved: boolean) => (isSaved ? "saved" : "changed");
  if (event.type !== "committed" || event.maxStoredBytes === undefined)
    return outcomeOf(await saveRun(database, before, run));
  const { maxStoredBytes } = event;
  try {
    return await database.transaction(async (queries) => {
      const isSaved = await saveRun(queries, before, run);
      const [sum] = await queries.rows("SELECT bytes FROM stored_bytes WHERE tenant_id = $1", run.tenantId);
      if (isSaved && Number(sum?.bytes) > maxStoredBytes) throw overQuota;
      return outcomeOf(isSaved);
    });
  } catch (error) {
    if (error === overQuota) return "StorageQuotaExceeded";
    throw error;
  }
}

/** Rolls a transaction back, because the tenant would have too many bytes. */
const overQuota = new Error("the storage quota of the tenant is exceeded");

function withdraw(
  notices: Notices,
  { runId, requestId, userId }: Parameters<RunStore["withdraw"]>[0],
): Promise<Withdrawal | undefined> {
  return notices.change(async (queries, note) => {
    // Locked before its requests, as by `erase` and `purge`: of two withdrawals at once, the second sees the first.
    const stored = await lockRun(queries, runId);
    const [request] = await queries.rows(
      "SELECT user_id FROM requests WHERE id = $1 AND run_id = $2",
      requestId,
      runId,
    );
    if (stored === undefined || request === undefined) return undefined;
    if (userId !== undefined && userId !== request.user_id) return undefined;
    await queries.rows("UPDATE requests SET withdrawn_at = coalesce(withdrawn_at, now_ms()) WHERE id = $1", requestId);
    const open = await queries.rows("SELECT 1 FROM requests WHERE run_id = $1 AND withdrawn_at IS NULL LIMIT 1", runId);
    const { run }: { readonly run: RunRecord } = stored;
    if (open.length > 0) return { accepted: true, run, ended: false };
    const canceled = await applyEvent(queries, note, stored, { type: "canceled" }, await readClock(queries));
    return canceled.accepted ? { ...canceled, ended: true } : canceled;
  });
}

/** Deletes the oldest runs that ended long ago, except for those that another server deletes at the moment. */
function purge(database: Database, retentionMs: number, limit: number): Promise<number> {
  return database.transaction(async (queries) => {
    // A run whose result is not archived yet stays.
    const ended = await queries.rows(
      `SELECT id FROM runs WHERE ended_at < now_ms() - $1::bigint AND (expires_at IS NULL OR archived_at IS NOT NULL)
        ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      retentionMs,
      limit,
    );
    const ids = ended.map(({ id }) => String(id));
    await deleteRuns(queries, ids);
    return ids.length;
  });
}
