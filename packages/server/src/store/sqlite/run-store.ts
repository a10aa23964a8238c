import type { DatabaseSync } from "node:sqlite";
import type { RunStore } from "@quern/adapter";
import type { Instant, RequestRecord, RunRecord } from "@quern/query-run/record";
import type { Notices } from "./notices.ts";
import { createQueue } from "./queue.ts";
import { prepareRecords, recordOf } from "./records.ts";
import { latestRequestStatement, listStatement } from "./run-list.ts";
import { createRunRecords } from "./run-records.ts";
import { createSubmissions } from "./submissions.ts";

/** @param now clock of the store, read within each change */
export function createSqliteRunStore(database: DatabaseSync, { change, note }: Notices, now: () => Instant): RunStore {
  const runs = createRunRecords(database, note);
  const submissions = createSubmissions(database, runs);
  const queue = createQueue(database, runs);
  const purge = createPurge(database);
  const records = prepareRecords(database, {
    expired: "SELECT record FROM runs WHERE archived_at IS NULL AND expires_at <= ? LIMIT 1000",
    request: "SELECT record FROM requests WHERE id = ? AND run_id = ?",
    withdraw: "UPDATE requests SET withdrawn_at = coalesce(withdrawn_at, ?) WHERE id = ?",
    hasRequested: "SELECT 1 FROM asked WHERE tenant_id = ? AND user_id = ? AND run_created_at = ? AND run_id = ?",
    openRequests: "SELECT count(*) AS n FROM requests WHERE run_id = ? AND withdrawn_at IS NULL",
  });

  return {
    submit: (submission) => change(() => submissions.submit(submission, now())),
    run: async (id) => runs.run(id),
    statement: async (tenantId, id) => runs.statement(tenantId, id),
    hasRequested: async (userId, { id, tenantId, createdAt }) =>
      records.row("hasRequested", tenantId, userId, createdAt, id) !== undefined,
    async latestRequest(sqlStatementId, visible) {
      const { text, values } = latestRequestStatement(sqlStatementId, visible);
      const row = database.prepare(text).get(...values);
      const recordIn = <T>(column: string) => recordOf<T>({ record: row?.[column] ?? null });
      return row && { request: recordIn<RequestRecord>("request"), run: recordIn<RunRecord>("run") };
    },
    async list(query) {
      const { text, values } = listStatement(query);
      const rows = database.prepare(text).all(...values);
      return rows.map(recordOf<RunRecord>);
    },
    apply: (runId, event) =>
      change(() => {
        const run = runs.run(runId);
        return run && runs.apply(run, event, now());
      }),
    claim: (lease) => change(() => queue.claim(lease, now())),
    renew: (lease, runIds) => change(() => queue.renew(lease, runIds, now())),
    reclaim: (reason, working) => change(() => queue.reclaim(reason, working, now())),
    withdraw: ({ runId, requestId, userId }) =>
      change(() => {
        const run = runs.run(runId);
        const request = records.one<RequestRecord>("request", requestId, runId);
        if (run === undefined || request === undefined) return undefined;
        if (userId !== undefined && userId !== request.userId) return undefined;
        records.run("withdraw", now(), requestId);
        if (records.count("openRequests", runId) > 0) return { accepted: true, run, ended: false };
        const canceled = runs.apply(run, { type: "canceled" }, now());
        return canceled.accepted ? { ...canceled, ended: true } : canceled;
      }),
    withdrawKey: (key) => change(() => submissions.withdrawKey(key, now())),
    expired: async () => records.all("expired", now()),
    purge: (retentionMs, limit) => change(() => purge(now() - retentionMs, limit)),
  };
}

/**
 * Creates a function that deletes the oldest runs that ended before an instant, with the records that only they use.
 * It returns the number of deleted runs.
 */
function createPurge(database: DatabaseSync): (endedBefore: Instant, limit: number) => number {
  const records = prepareRecords(database, {
    // A run whose result is not archived yet stays.
    ended: `SELECT id, sql_statement_id FROM runs WHERE ended_at IS NOT NULL AND ended_at < ?
      AND (expires_at IS NULL OR archived_at IS NOT NULL) ORDER BY ended_at LIMIT ?`,
    asked: `DELETE FROM asked WHERE (tenant_id, user_id, run_created_at, run_id) IN (SELECT tenant_id, requests.user_id,
      runs.created_at, runs.id FROM runs JOIN requests ON requests.run_id = runs.id WHERE runs.id = ?)`,
    requests: "DELETE FROM requests WHERE run_id = ?",
    run: "DELETE FROM runs WHERE id = ?",
    statement: "DELETE FROM statements WHERE id = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE sql_statement_id = ?)",
  });
  return (endedBefore, limit) => {
    const ended = records.rows("ended", endedBefore, limit);
    for (const { id = null, sql_statement_id: statementId = null } of ended) {
      records.run("asked", id);
      records.run("requests", id);
      records.run("run", id);
      records.run("statement", statementId, statementId);
    }
    return ended.length;
  };
}
