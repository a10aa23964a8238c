import type { DatabaseSync } from "node:sqlite";
import type { RunStore } from "@quern/adapter";
import type { Instant, RequestRecord, RunRecord } from "@quern/query-run/record";
import { createPurge } from "./forgetting.ts";
import type { Notices } from "./notices.ts";
import { createQueue } from "./queue.ts";
import { prepareRecords, recordOf } from "./records.ts";
import { latestRequestStatement, listStatement } from "./run-list.ts";
import { createRunRecords } from "./run-records.ts";
import { createSubmissions } from "./submissions.ts";

/** @param now the store's clock, which is read when a change is made */
export function createSqliteRunStore(database: DatabaseSync, { change, note }: Notices, now: () => Instant): RunStore {
  const runs = createRunRecords(database, note);
  const submissions = createSubmissions(database, runs);
  const queue = createQueue(database, runs);
  const forget = createPurge(database);
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
    async latestRequest(sqlStatementId, of) {
      const { text, values } = latestRequestStatement(sqlStatementId, of);
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
    forget: (keptMs, limit) => change(() => forget(now() - keptMs, limit)),
  };
}
