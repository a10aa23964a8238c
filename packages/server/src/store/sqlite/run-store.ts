import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { idempotencyMs } from "@quern/query-run/idempotency";
import { isAtRunLimit } from "@quern/query-run/limits";
import {
  createRun,
  type Instant,
  type RequestRecord,
  type RunRecord,
  type StatementRecord,
} from "@quern/query-run/record";
import { chooseRun } from "@quern/query-run/reuse";
import { type RunEvent, type Transition, transition } from "@quern/query-run/transition";
import type { RunStore, Submission, SubmissionOutcome } from "../run-store.ts";
import { createCommits } from "./group-commit.ts";
import { listStatement } from "./run-list.ts";

const unfinished = "('QUERY_STATE_READY', 'QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS')";

/** The embedded store: one server owns the file, and every change is a transaction of it. */
export function createSqliteRunStore(database: DatabaseSync): RunStore {
  const commits = createCommits(database);
  const statements = {
    run: database.prepare("SELECT record FROM runs WHERE id = ?"),
    insertRun: database.prepare("INSERT INTO runs (id, record) VALUES (?, ?)"),
    updateRun: database.prepare("UPDATE runs SET record = ? WHERE id = ? AND state = ? AND attempt = ?"),
    runsByKey: database.prepare("SELECT record FROM runs WHERE reuse_key = ? ORDER BY created_at DESC LIMIT 50"),
    oldestReady: database.prepare(
      "SELECT record FROM runs WHERE state = 'QUERY_STATE_READY' ORDER BY created_at, id LIMIT 1",
    ),
    unfinishedCount: database.prepare(`SELECT count(*) AS n FROM runs WHERE tenant_id = ? AND state IN ${unfinished}`),
    expired: database.prepare("SELECT record FROM runs WHERE archived_at IS NULL AND expires_at <= ? LIMIT 1000"),
    request: database.prepare("SELECT record FROM requests WHERE id = ? AND run_id = ?"),
    insertRequest: database.prepare("INSERT INTO requests (id, record, api_key_id, body_hash) VALUES (?, ?, ?, ?)"),
    sameRequest: database.prepare(
      "SELECT record, body_hash FROM requests WHERE api_key_id = ? AND idempotency_key = ? AND created_at > ? ORDER BY created_at DESC LIMIT 1",
    ),
    withdraw: database.prepare("UPDATE requests SET withdrawn_at = coalesce(withdrawn_at, ?) WHERE id = ?"),
    openRequests: database.prepare("SELECT count(*) AS n FROM requests WHERE run_id = ? AND withdrawn_at IS NULL"),
    statement: database.prepare("SELECT record FROM statements WHERE id = ? AND tenant_id = ?"),
    statementByHash: database.prepare("SELECT record FROM statements WHERE tenant_id = ? AND hash = ?"),
    insertStatement: database.prepare("INSERT INTO statements (id, tenant_id, record) VALUES (?, ?, ?)"),
    updateStatement: database.prepare("UPDATE statements SET record = ? WHERE id = ?"),
  };
  type Name = keyof typeof statements;

  const one = <T>(name: Name, ...values: SQLInputValue[]): T | undefined => {
    const row = statements[name].get(...values);
    return row && recordOf<T>(row);
  };
  const all = <T>(name: Name, ...values: SQLInputValue[]): T[] => statements[name].all(...values).map(recordOf<T>);
  const count = (name: Name, ...values: SQLInputValue[]): number => Number(statements[name].get(...values)?.n);

  function save(before: RunRecord, after: RunRecord): void {
    const { changes } = statements.updateRun.run(JSON.stringify(after), before.id, before.state, before.attempt);
    if (Number(changes) !== 1) throw new Error(`run ${before.id} was changed by somebody else`);
  }

  function applyNow(run: RunRecord, event: RunEvent, now: Instant): Transition {
    const next = transition(run, event, now);
    if (!next.accepted) return next;
    save(run, next.run);
    if (event.type === "committed") learnColumns(next.run, now);
    return next;
  }

  function statementOf({ id, sqlStatementId, tenantId }: RunRecord): StatementRecord {
    const statement = one<StatementRecord>("statement", sqlStatementId, tenantId);
    if (statement === undefined) throw new Error(`run ${id} has no statement`);
    return statement;
  }

  function learnColumns(run: RunRecord, now: Instant): void {
    if (run.result === null) return;
    const statement = statementOf(run);
    const learned: StatementRecord = { ...statement, columns: run.result.columns, updatedAt: now };
    statements.updateStatement.run(JSON.stringify(learned), statement.id);
  }

  function statementFor({ run, statement }: Submission, now: Instant): StatementRecord {
    const known = one<StatementRecord>("statementByHash", run.tenantId, statement.statementHash);
    if (known !== undefined) return known;
    const { userId, tags } = run;
    const created: StatementRecord = { ...statement, columns: null, userId, tags, createdAt: now, updatedAt: now };
    statements.insertStatement.run(created.id, run.tenantId, JSON.stringify(created));
    return created;
  }

  function repeated({ idempotency }: Submission, now: Instant): SubmissionOutcome | undefined {
    if (idempotency === null) return undefined;
    const row = statements.sameRequest.get(idempotency.apiKeyId, idempotency.key, now - idempotencyMs);
    if (row === undefined) return undefined;
    if (row.body_hash !== idempotency.bodyHash) return { outcome: "idempotencyMismatch" };
    const request = recordOf<RequestRecord>(row);
    const run = one<RunRecord>("run", request.queryRunId);
    if (run === undefined) throw new Error(`request ${request.id} has no run`);
    return { outcome: "accepted", run, request, statement: statementOf(run) };
  }

  function submitNow(submission: Submission, now: Instant): SubmissionOutcome {
    const earlier = repeated(submission, now);
    if (earlier !== undefined) return earlier;
    const { idempotency, request } = submission;
    const existing = chooseRun(all<RunRecord>("runsByKey", submission.run.reuseKey), request.maxAgeMinutes, now);
    const unfinishedRuns = count("unfinishedCount", submission.run.tenantId);
    if (existing === undefined && isAtRunLimit(unfinishedRuns, submission.maxUnfinishedRuns)) {
      return { outcome: "tooManyRuns", unfinishedRuns };
    }
    const run = existing === undefined ? insert(submission, now) : attach(existing, request.resultTTLHours, now);
    const record: RequestRecord = {
      ...request,
      queryRunId: run.id,
      sqlStatementId: run.sqlStatementId,
      userId: submission.run.userId,
      tags: submission.run.tags,
      triggeredQueryRun: existing === undefined,
      idempotencyKey: idempotency?.key ?? null,
      createdAt: now,
      updatedAt: now,
    };
    const { apiKeyId, bodyHash } = idempotency ?? { apiKeyId: null, bodyHash: null };
    statements.insertRequest.run(record.id, JSON.stringify(record), apiKeyId, bodyHash);
    return { outcome: "accepted", run, request: record, statement: statementOf(run) };
  }

  function insert(submission: Submission, now: Instant): RunRecord {
    const statement = statementFor(submission, now);
    const created = createRun({ ...submission.run, sqlStatementId: statement.id }, now);
    statements.insertRun.run(created.id, JSON.stringify(created));
    return created;
  }

  function attach(run: RunRecord, resultTTLHours: number, now: Instant): RunRecord {
    const attached = applyNow(run, { type: "requested", resultTTLHours }, now);
    return attached.accepted ? attached.run : run;
  }

  return {
    submit: async (submission, now) => commits.change(() => submitNow(submission, now)),
    run: async (id) => one("run", id),
    statement: async (tenantId, id) => one("statement", id, tenantId),
    async list(query) {
      const { text, values } = listStatement(query);
      const rows = database.prepare(text).all(...values);
      return rows.map(recordOf<RunRecord>);
    },
    apply: async (runId, event, now) =>
      commits.change(() => {
        const run = one<RunRecord>("run", runId);
        return run && applyNow(run, event, now);
      }),
    claim: async (now) =>
      commits.change(() => {
        const run = one<RunRecord>("oldestReady");
        const claimed = run && applyNow(run, { type: "claimed" }, now);
        if (claimed?.accepted !== true) return undefined;
        return { run: claimed.run, sql: statementOf(claimed.run).sql };
      }),
    withdraw: async (runId, requestId, now) =>
      commits.change(() => {
        const run = one<RunRecord>("run", runId);
        if (run === undefined || one("request", requestId, runId) === undefined) return undefined;
        statements.withdraw.run(now, requestId);
        return count("openRequests", runId) > 0 ? { accepted: true, run } : applyNow(run, { type: "canceled" }, now);
      }),
    inState: async (states) => {
      const marks = states.map(() => "?").join(", ");
      const rows = database.prepare(`SELECT record FROM runs WHERE state IN (${marks})`).all(...states);
      return rows.map(recordOf<RunRecord>);
    },
    expired: async (now) => all("expired", now),
  };
}

/** Records are written by this store alone; what it reads is what it wrote. */
function recordOf<T>(row: Record<string, SQLOutputValue>): T {
  return JSON.parse(String(row.record)) as T;
}
