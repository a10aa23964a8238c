import type { DatabaseSync } from "node:sqlite";
import type { Submission, SubmissionOutcome, WithdrawnKey } from "@quern/adapter";
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
import { prepareRecords, recordOf } from "./records.ts";
import type { RunRecords } from "./run-records.ts";
import { unfinished } from "./states.ts";

/** Each is called within a transaction of the caller. */
export interface Submissions {
  /** Answers a request with an existing run or a new one. */
  submit(submission: Submission, now: Instant): SubmissionOutcome;
  /** Returns the request that a key has made, or remembers the key as withdrawn. */
  withdrawKey(key: WithdrawnKey, now: Instant): RequestRecord | undefined;
}

export function createSubmissions(database: DatabaseSync, runs: RunRecords): Submissions {
  const records = prepareRecords(database, {
    sameRequest:
      "SELECT record, body_hash FROM requests WHERE api_key_id = ? AND idempotency_key = ? AND created_at > ? ORDER BY created_at DESC LIMIT 1",
    // The newest of those that are still kept: an older one may be kept longer.
    newestResult: `SELECT record FROM runs WHERE reuse_key = ? AND state = 'QUERY_STATE_SUCCESS' AND archived_at IS NULL
      AND expires_at > ? ORDER BY ended_at DESC LIMIT 1`,
    underWay: `SELECT record FROM runs WHERE reuse_key = ? AND state IN ${unfinished} ORDER BY shareable DESC LIMIT 1`,
    unfinishedOfTenant: `SELECT count(*) AS n FROM runs WHERE tenant_id = ? AND state IN ${unfinished}`,
    waiting: "SELECT count(*) AS n FROM runs WHERE state = 'QUERY_STATE_READY'",
    waitingOfTenant: "SELECT 1 FROM runs WHERE state = 'QUERY_STATE_READY' AND tenant_id = ? LIMIT 1",
    // The first of equal runs is the one to share; the index of shared runs lets there be no two of them.
    insertRun: `INSERT INTO runs (id, record, max_running_runs, shareable) VALUES (?, ?, ?,
      NOT EXISTS (SELECT 1 FROM runs WHERE reuse_key = ? AND shareable = 1 AND state IN ${unfinished}))`,
    insertRequest: "INSERT INTO requests (id, record, api_key_id, body_hash) VALUES (?, ?, ?, ?)",
    insertAsked: "INSERT OR IGNORE INTO asked (tenant_id, user_id, run_created_at, run_id) VALUES (?, ?, ?, ?)",
    withdrawnKey: "SELECT 1 FROM withdrawn_keys WHERE api_key_id = ? AND key = ? AND withdrawn_at > ?",
    forgetKeys: "DELETE FROM withdrawn_keys WHERE withdrawn_at <= ?",
    rememberKey: "INSERT OR REPLACE INTO withdrawn_keys (api_key_id, key, withdrawn_at) VALUES (?, ?, ?)",
    statementByHash: "SELECT record FROM statements WHERE tenant_id = ? AND hash = ?",
    insertStatement: "INSERT INTO statements (id, tenant_id, record) VALUES (?, ?, ?)",
  });

  function repeated({ idempotency }: Submission, now: Instant): SubmissionOutcome | undefined {
    if (idempotency === null) return undefined;
    const row = records.row("sameRequest", idempotency.apiKeyId, idempotency.key, now - idempotencyMs);
    if (row === undefined) return undefined;
    if (row.body_hash !== idempotency.bodyHash) return { outcome: "idempotencyMismatch" };
    const request = recordOf<RequestRecord>(row);
    const run = runs.run(request.queryRunId);
    if (run === undefined) throw new Error(`request ${request.id} has no run`);
    return { outcome: "accepted", run, request, statement: runs.statementOf(run), repeated: true };
  }

  function isWithdrawn({ idempotency }: Submission, now: Instant): boolean {
    if (idempotency === null) return false;
    return records.row("withdrawnKey", idempotency.apiKeyId, idempotency.key, now - idempotencyMs) !== undefined;
  }

  function existingRun({ run, request: { maxAgeMinutes } }: Submission, now: Instant): RunRecord | undefined {
    if (maxAgeMinutes === 0) return undefined;
    const candidates = [
      records.one<RunRecord>("newestResult", run.reuseKey, now),
      records.one<RunRecord>("underWay", run.reuseKey),
    ].filter((candidate) => candidate !== undefined);
    return chooseRun(candidates, maxAgeMinutes, now);
  }

  /** The cap of the tenant, then that of all tenants. */
  function refusal({ run: { tenantId }, caps }: Submission): SubmissionOutcome | undefined {
    const { maxUnfinishedRuns, maxQueuedRuns } = caps;
    const unfinishedRuns = () => records.count("unfinishedOfTenant", tenantId);
    if (maxUnfinishedRuns !== undefined) {
      const count = unfinishedRuns();
      if (isAtRunLimit(count, maxUnfinishedRuns)) return { outcome: "tooManyRuns", count, cap: maxUnfinishedRuns };
    }
    if (maxQueuedRuns === undefined) return undefined;
    // There is room on top for the first of each tenant, so that nobody's runs refuse those of others.
    const isFirst = records.row("waitingOfTenant", tenantId) === undefined;
    if (!isAtRunLimit(records.count("waiting"), isFirst ? 2 * maxQueuedRuns : maxQueuedRuns)) return undefined;
    // The runs of others are nothing that it is told of.
    const count = unfinishedRuns();
    return { outcome: "tooManyRuns", count, cap: count };
  }

  function statementFor({ run, statement }: Submission): StatementRecord {
    const known = records.one<StatementRecord>("statementByHash", run.tenantId, statement.statementHash);
    if (known === undefined) records.run("insertStatement", statement.id, run.tenantId, JSON.stringify(statement));
    return known ?? statement;
  }

  function insert(submission: Submission, now: Instant): RunRecord {
    const statement = statementFor(submission);
    const created = createRun({ ...submission.run, sqlStatementId: statement.id }, now);
    const { maxRunningRuns = null } = submission.caps;
    records.run("insertRun", created.id, JSON.stringify(created), maxRunningRuns, created.reuseKey);
    return created;
  }

  function attach(run: RunRecord, resultTTLHours: number, now: Instant): RunRecord {
    const attached = runs.apply(run, { type: "requested", resultTTLHours }, now);
    return attached.accepted ? attached.run : run;
  }

  /** Inserts a canceled run, for a create that was withdrawn before it arrived. */
  function insertCanceled(submission: Submission, now: Instant): RunRecord {
    const canceled = runs.apply(insert(submission, now), { type: "canceled" }, now);
    if (!canceled.accepted) throw new Error(`a new run cannot be canceled: ${canceled.refusal}`);
    return canceled.run;
  }

  function submit(submission: Submission, now: Instant): SubmissionOutcome {
    const earlier = repeated(submission, now);
    if (earlier !== undefined) return earlier;
    const { idempotency, request } = submission;
    const withdrawn = isWithdrawn(submission, now);
    const existing = withdrawn ? undefined : existingRun(submission, now);
    const refused = existing === undefined && !withdrawn ? refusal(submission) : undefined;
    if (refused !== undefined) return refused;
    const begin = withdrawn ? insertCanceled : insert;
    const run = existing === undefined ? begin(submission, now) : attach(existing, request.resultTTLHours, now);
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
    records.run("insertRequest", record.id, JSON.stringify(record), apiKeyId, bodyHash);
    records.run("insertAsked", run.tenantId, record.userId, run.createdAt, run.id);
    return { outcome: "accepted", run, request: record, statement: runs.statementOf(run), repeated: false };
  }

  return {
    submit,
    withdrawKey({ apiKeyId, key }, now) {
      const since = now - idempotencyMs;
      const row = records.row("sameRequest", apiKeyId, key, since);
      if (row !== undefined) return recordOf<RequestRecord>(row);
      records.run("forgetKeys", since);
      records.run("rememberKey", apiKeyId, key, now);
      return undefined;
    },
  };
}
