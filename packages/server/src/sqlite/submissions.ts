import type { DatabaseSync } from "node:sqlite";
import type { Submission, SubmissionOutcome, WithdrawnKey } from "@quern/adapter";
import { idempotencyMs, isRemembered } from "@quern/query-run/idempotency";
import {
  createRequest,
  createRun,
  type Instant,
  type RequestRecord,
  type RunRecord,
  type StatementRecord,
} from "@quern/query-run/record";
import { decideSubmission, type EarlierRequest, type SubmissionFacts } from "@quern/query-run/submission";
import { hashOfKey } from "./idempotency-records.ts";
import { prepareRecords, recordOf } from "./records.ts";
import { type RunRecords, unfinished } from "./run-records.ts";

/**
 * Answers submissions. `decideSubmission` of `@quern/query-run` makes each decision; this module loads the facts for it
 * and stores its outcome. The caller provides the transaction.
 */
export interface Submissions {
  /** Answers a submission with an existing run or a new one. */
  submit(submission: Submission, now: Instant): SubmissionOutcome;
  /** Returns the request that was created with a key in the last 24 hours, or else remembers the key as withdrawn. */
  withdrawKey(key: WithdrawnKey, now: Instant): RequestRecord | undefined;
}

export function createSubmissions(database: DatabaseSync, runs: RunRecords): Submissions {
  const records = prepareRecords(database, {
    sameRequest:
      "SELECT record, body_hash FROM requests WHERE api_key_id = ? AND idempotency_key = ? ORDER BY created_at DESC LIMIT 1",
    // The newest result that has not expired; an older one may be retained for longer.
    newestResult: `SELECT record FROM runs WHERE reuse_key = ? AND state = 'QUERY_STATE_SUCCESS' AND archived_at IS NULL
      AND expires_at > ? ORDER BY ended_at DESC LIMIT 1`,
    underWay: `SELECT record FROM runs WHERE reuse_key = ? AND state IN ${unfinished} ORDER BY shareable DESC LIMIT 1`,
    unfinishedOfTenant: `SELECT count(*) AS n FROM runs WHERE tenant_id = ? AND state IN ${unfinished}`,
    waiting: "SELECT count(*) AS n FROM runs WHERE state = 'QUERY_STATE_READY'",
    waitingOfTenant: "SELECT 1 FROM runs WHERE state = 'QUERY_STATE_READY' AND tenant_id = ? LIMIT 1",
    storedBytes: "SELECT coalesce(max(bytes), 0) AS n FROM stored_bytes WHERE tenant_id = ?",
    insertRequest: "INSERT INTO requests (id, record, api_key_id, body_hash) VALUES (?, ?, ?, ?)",
    insertRequestedRun:
      "INSERT OR IGNORE INTO requested_runs (tenant_id, user_id, run_created_at, run_id) VALUES (?, ?, ?, ?)",
    withdrawnKey: "SELECT withdrawn_at FROM withdrawn_keys WHERE api_key_id = ? AND key_hash = ?",
    forgetKeys: "DELETE FROM withdrawn_keys WHERE withdrawn_at <= ?",
    rememberKey: "INSERT OR REPLACE INTO withdrawn_keys (api_key_id, key_hash, withdrawn_at) VALUES (?, ?, ?)",
    statementByHash: "SELECT record FROM statements WHERE tenant_id = ? AND hash = ?",
    insertStatement: "INSERT INTO statements (id, tenant_id, record) VALUES (?, ?, ?)",
  });

  function earlierRequest({ idempotency }: Submission): EarlierRequest | undefined {
    if (idempotency === null) return undefined;
    const row = records.row("sameRequest", idempotency.apiKeyId, idempotency.key);
    return row && { request: recordOf<RequestRecord>(row), isSame: row.body_hash === idempotency.bodyHash };
  }

  function withdrawnAt({ idempotency }: Submission): Instant | undefined {
    if (idempotency === null) return undefined;
    const { apiKeyId, key } = idempotency;
    const row = records.row("withdrawnKey", apiKeyId, hashOfKey(key));
    return row && Number(row.withdrawn_at);
  }

  function candidates(reuseKey: string, now: Instant): readonly RunRecord[] {
    return [records.one<RunRecord>("newestResult", reuseKey, now), records.one<RunRecord>("underWay", reuseKey)].filter(
      (candidate) => candidate !== undefined,
    );
  }

  /** Loads facts lazily, by getters: a fact that the decision does not read costs no query. */
  function factsOf(submission: Submission, now: Instant): SubmissionFacts {
    const { run, request, caps } = submission;
    return {
      maxAgeMinutes: request.maxAgeMinutes,
      get earlier() {
        return earlierRequest(submission);
      },
      get withdrawnAt() {
        return withdrawnAt(submission);
      },
      get candidates() {
        return candidates(run.reuseKey, now);
      },
      capacity: {
        maxUnfinishedRuns: caps.maxUnfinishedRuns,
        maxQueuedRuns: caps.maxQueuedRuns,
        get unfinishedRuns() {
          return records.count("unfinishedOfTenant", run.tenantId);
        },
        get queuedRuns() {
          return records.count("waiting");
        },
        get isTenantQueued() {
          return records.row("waitingOfTenant", run.tenantId) !== undefined;
        },
        storage: {
          isDiskFull: caps.isDiskFull ?? false,
          maxStoredBytes: caps.maxStoredBytes,
          get storedBytes() {
            return records.count("storedBytes", run.tenantId);
          },
        },
      },
    };
  }

  /** Returns the stored statement with the same text, or stores the new one. */
  function statementFor({ run, statement }: Submission): StatementRecord {
    const known = records.one<StatementRecord>("statementByHash", run.tenantId, statement.statementHash);
    if (known === undefined) records.run("insertStatement", statement.id, run.tenantId, JSON.stringify(statement));
    return known ?? statement;
  }

  function insert(submission: Submission, now: Instant): RunRecord {
    const statement = statementFor(submission);
    const created = createRun({ ...submission.run, sqlStatementId: statement.id }, now);
    runs.insert(created, submission.caps.maxRunningRuns ?? null);
    return created;
  }

  /** Adds a request to an existing run, which may extend the retention of its result. */
  function attach(run: RunRecord, resultTTLHours: number, now: Instant): RunRecord {
    const attached = runs.apply(run, { type: "requested", resultTTLHours }, now);
    return attached.accepted ? attached.run : run;
  }

  /** Inserts a canceled run, for a `createQueryRun` call that was withdrawn before it arrived. */
  function insertCanceled(submission: Submission, now: Instant): RunRecord {
    const canceled = runs.apply(insert(submission, now), { type: "canceled" }, now);
    if (!canceled.accepted) throw new Error(`a new run cannot be canceled: ${canceled.refusal}`);
    return canceled.run;
  }

  /** Answers a repeated call with the same idempotency key. */
  function repeated(request: RequestRecord): SubmissionOutcome {
    const run = runs.run(request.queryRunId);
    if (run === undefined) throw new Error(`request ${request.id} has no run`);
    return { outcome: "accepted", run, request, statement: runs.statementOf(run), repeated: true };
  }

  /** Stores the request, and returns it with its run. */
  function answered(submission: Submission, run: RunRecord, triggeredQueryRun: boolean, now: Instant) {
    const { idempotency } = submission;
    const { userId, tags } = submission.run;
    const requested = { ...submission.request, userId, tags, idempotencyKey: idempotency?.key ?? null };
    const request = createRequest(requested, run, triggeredQueryRun, now);
    const { apiKeyId, bodyHash } = idempotency ?? { apiKeyId: null, bodyHash: null };
    records.run("insertRequest", request.id, JSON.stringify(request), apiKeyId, bodyHash);
    records.run("insertRequestedRun", run.tenantId, userId, run.createdAt, run.id);
    return { outcome: "accepted", run, request, statement: runs.statementOf(run), repeated: false } as const;
  }

  function submit(submission: Submission, now: Instant): SubmissionOutcome {
    const decided = decideSubmission(factsOf(submission, now), now);
    switch (decided.decision) {
      case "repeat":
        return repeated(decided.request);
      case "refuse":
        return decided.refusal;
      case "new":
        return answered(submission, (decided.isWithdrawn ? insertCanceled : insert)(submission, now), true, now);
      case "reuse":
      case "join":
        return answered(submission, attach(decided.run, submission.request.resultTTLHours, now), false, now);
    }
  }

  return {
    submit,
    withdrawKey({ apiKeyId, key }, now) {
      const row = records.row("sameRequest", apiKeyId, key);
      const request = row && recordOf<RequestRecord>(row);
      if (request !== undefined && isRemembered(request.createdAt, now)) return request;
      records.run("forgetKeys", now - idempotencyMs);
      records.run("rememberKey", apiKeyId, hashOfKey(key), now);
      return undefined;
    },
  };
}
