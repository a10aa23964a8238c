import type { DatabaseSync } from "node:sqlite";
import type { RunStore } from "@quern/adapter";
import type { Instant, RequestRecord, RunRecord, StatementRecord } from "@quern/query-run/record";
import { createErasure } from "./erasure.ts";
import type { LogFlush } from "./log-flush.ts";
import { prepareReclaim } from "./lost-runs.ts";
import type { Notices } from "./notices.ts";
import { createQueue } from "./queue.ts";
import type { Reader } from "./reader.ts";
import { parsed, prepareRecords } from "./records.ts";
import { createRunRecords, executing } from "./run-records.ts";
import { createSubmissions } from "./submissions.ts";

/**
 * @param flush reads wait for it
 * @param now clock of the store, read within each change
 */
export function createSqliteRunStore(
  database: DatabaseSync,
  reader: Reader,
  { change, changeUnflushed, addNotice }: Notices,
  flush: Pick<LogFlush, "idle">,
  now: () => Instant,
): RunStore {
  const runs = createRunRecords(database, addNotice);
  const submissions = createSubmissions(database, runs);
  const queue = createQueue(database, runs);
  const reclaim = prepareReclaim(database, runs);
  const purge = createPurge(database);
  const erase = createErasure(database, runs);
  const records = prepareRecords(database, {
    request: "SELECT record FROM requests WHERE id = ? AND run_id = ?",
    withdraw: "UPDATE requests SET withdrawn_at = coalesce(withdrawn_at, ?) WHERE id = ?",
    statement: "SELECT record FROM statements WHERE id = ? AND tenant_id = ?",
    hasRequested:
      "SELECT 1 FROM requested_runs WHERE tenant_id = ? AND user_id = ? AND run_created_at = ? AND run_id = ?",
    executing: `SELECT count(*) AS n FROM runs INDEXED BY runs_executing WHERE tenant_id = ? AND state IN ${executing}`,
    openRequests: "SELECT count(*) AS n FROM requests WHERE run_id = ? AND withdrawn_at IS NULL",
  });

  return {
    submit: (submission) => change(() => submissions.submit(submission, now())),
    async run(id) {
      const run = runs.run(id);
      await flush.idle();
      return run;
    },
    statement: async (tenantId, id) => records.one<StatementRecord>("statement", id, tenantId),
    hasRequested: async (userId, { id, tenantId, createdAt }) =>
      records.row("hasRequested", tenantId, userId, createdAt, id) !== undefined,
    async latestRequest(sqlStatementId, visible) {
      const found = await reader.read("", "latestRequest", sqlStatementId, visible);
      return found && { request: parsed<RequestRecord>(found.request), run: parsed<RunRecord>(found.run) };
    },
    list: (query, at, reasons) => reader.read(query.tenantId, "list", query, at, reasons),
    // After a power failure that takes one of the changes back that are not flushed, the run is executed again. The loss
    // then counts for no limit, and the attempt can have its number again.
    apply: (runId, event) =>
      (event.type === "executed" ? changeUnflushed : change)(() => {
        const run = runs.run(runId);
        return run && runs.apply(run, event, now());
      }),
    claim: (lease, sources) => changeUnflushed(() => queue.claim(lease, now(), sources)),
    unfinished: (tenantId) => reader.read(tenantId, "unfinished", tenantId),
    executing: async (tenantId) => records.count("executing", tenantId),
    // A run can be large, and is copied to the thread of the reader.
    queuePosition: ({ id, tenantId, userId, createdAt }) =>
      reader.read(tenantId, "queuePosition", { id, tenantId, userId, createdAt }),
    renew: (lease, runIds) => changeUnflushed(() => queue.renew(lease, runIds, now())),
    reclaim: (reason, working, maxLostServers) => change(() => reclaim(reason, working, maxLostServers, now())),
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
    expired: async () => (await reader.read("", "expired", now())).map(parsed<RunRecord>),
    purge: (retentionMs, limit) => change(() => purge(now() - retentionMs, limit)),
    erase: (user, limit) => change(() => erase(user, limit, now())),
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
    requested: `DELETE FROM requested_runs WHERE (tenant_id, user_id, run_created_at, run_id) IN (SELECT tenant_id, requests.user_id,
      runs.created_at, runs.id FROM runs JOIN requests ON requests.run_id = runs.id WHERE runs.id = ?)`,
    requests: "DELETE FROM requests WHERE run_id = ?",
    run: "DELETE FROM runs WHERE id = ?",
    statement: "DELETE FROM statements WHERE id = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE sql_statement_id = ?)",
  });
  return (endedBefore, limit) => {
    const ended = records.rows("ended", endedBefore, limit);
    for (const { id = null, sql_statement_id: statementId = null } of ended) {
      records.run("requested", id);
      records.run("requests", id);
      records.run("run", id);
      records.run("statement", statementId, statementId);
    }
    return ended.length;
  };
}
