import type { DatabaseSync } from "node:sqlite";
import type { RunRecord } from "@quern/query-run/record";
import type { RunStore } from "../run-store.ts";
import { createForgetting } from "./forgetting.ts";
import { createCommits } from "./group-commit.ts";
import { createQueue } from "./queue.ts";
import { prepareRecords, recordOf } from "./records.ts";
import { listStatement } from "./run-list.ts";
import { createRunRecords } from "./run-records.ts";
import { createSubmissions } from "./submissions.ts";

/** The embedded store: one server owns the file, and every change is a transaction of it. */
export function createSqliteRunStore(database: DatabaseSync): RunStore {
  const commits = createCommits(database);
  const runs = createRunRecords(database);
  const submit = createSubmissions(database, runs);
  const queue = createQueue(database, runs);
  const forget = createForgetting(database);
  const records = prepareRecords(database, {
    inState: "SELECT record FROM runs WHERE state IN (SELECT value FROM json_each(?))",
    expired: "SELECT record FROM runs WHERE archived_at IS NULL AND expires_at <= ? LIMIT 1000",
    request: "SELECT record FROM requests WHERE id = ? AND run_id = ?",
    withdraw: "UPDATE requests SET withdrawn_at = coalesce(withdrawn_at, ?) WHERE id = ?",
    askedForRun: "SELECT 1 FROM requests WHERE run_id = ? AND user_id = ? LIMIT 1",
    askedForStatement: "SELECT 1 FROM requests WHERE sql_statement_id = ? AND user_id = ? LIMIT 1",
    openRequests: "SELECT count(*) AS n FROM requests WHERE run_id = ? AND withdrawn_at IS NULL",
  });

  return {
    submit: (submission, now) => commits.change(() => submit(submission, now)),
    run: async (id) => runs.run(id),
    statement: async (tenantId, id) => runs.statement(tenantId, id),
    askedForRun: async (userId, runId) => records.row("askedForRun", runId, userId) !== undefined,
    askedForStatement: async (userId, id) => records.row("askedForStatement", id, userId) !== undefined,
    async list(query) {
      const { text, values } = listStatement(query);
      const rows = database.prepare(text).all(...values);
      return rows.map(recordOf<RunRecord>);
    },
    apply: (runId, event, now) =>
      commits.change(() => {
        const run = runs.run(runId);
        return run && runs.apply(run, event, now);
      }),
    claim: (lease, now) => commits.change(() => queue.claim(lease, now)),
    renew: (lease, runIds, now) => commits.change(() => queue.renew(lease, runIds, now)),
    // One server owns the file: what another one has begun is lost, however long its lease.
    lost: async (owner, now) => queue.lost(owner, now),
    withdraw: (runId, requestId, now) =>
      commits.change(() => {
        const run = runs.run(runId);
        if (run === undefined || records.one("request", requestId, runId) === undefined) return undefined;
        records.run("withdraw", now, requestId);
        if (records.count("openRequests", runId) > 0) return { accepted: true, run };
        return runs.apply(run, { type: "canceled" }, now);
      }),
    inState: async (states) => records.all("inState", JSON.stringify(states)),
    expired: async (now) => records.all("expired", now),
    forget: (endedBefore, limit) => commits.change(() => forget(endedBefore, limit)),
  };
}
