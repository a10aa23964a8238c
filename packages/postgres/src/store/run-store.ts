import type { RunStore, Withdrawal } from "@quern/adapter";
import type { RunRecord, StatementRecord } from "@quern/query-run/record";
import { createApply } from "./apply.ts";
import { applyEvent } from "./changes.ts";
import { createClaims } from "./claim-batches.ts";
import { readClock } from "./clock.ts";
import type { Database } from "./database.ts";
import { erase } from "./erasure.ts";
import { withdrawKey } from "./idempotency.ts";
import { reclaim } from "./lost-runs.ts";
import type { Notices } from "./notices.ts";
import { renew } from "./queue.ts";
import { queuePosition } from "./queue-position.ts";
import { readUnfinishedRuns } from "./run-counts.ts";
import { latestRequest, listRuns } from "./run-list.ts";
import { deleteRuns, executing, lockRun, parsed, readRun, runColumns, storedRun } from "./run-records.ts";
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
        tenantId,
        userId,
        createdAt,
        id,
      );
      return found.length > 0;
    },
    latestRequest: (sqlStatementId, visible) => latestRequest(database, sqlStatementId, visible),
    list: (query, now, reasons) => listRuns(database, query, now, reasons),
    apply: createApply(database, notices),
    claim: createClaims(database),
    unfinished: (tenantId) => readUnfinishedRuns(database, tenantId),
    async executing(tenantId) {
      const [row] = await database.rows(
        `SELECT count(*) AS n FROM runs WHERE tenant_id = $1 AND state IN ${executing}`,
        tenantId,
      );
      return Number(row?.n);
    },
    queuePosition: (run) => queuePosition(database, run),
    renew: (lease, runIds) => renew(database, lease, runIds),
    async reclaim(reason, working, maxLostServers) {
      if (database.connectedMs() < reclaimDelayMs) {
        await readClock(database); // an outage is reported, and its end is noticed
        return [];
      }
      return notices.change((queries, addNotice) =>
        reclaim(queries, addNotice, { reason, working, maxLostServers, delayMs: reclaimDelayMs }),
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
    erase: (user, limit) => notices.change((queries, addNotice) => erase(queries, addNotice, user, limit)),
  };
}

function withdraw(
  notices: Notices,
  { runId, requestId, userId }: Parameters<RunStore["withdraw"]>[0],
): Promise<Withdrawal | undefined> {
  return notices.change(async (queries, addNotice) => {
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
    const canceled = await applyEvent(queries, addNotice, stored, { type: "canceled" }, await readClock(queries));
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
