import type { Submission } from "@quern/adapter";
import type { Instant, RequestRecord, StatementRecord } from "@quern/query-run/record";
import type { Capacity, EarlierRequest } from "@quern/query-run/submission";
import type { Queries } from "./database.ts";
import { keyHash } from "./idempotency.ts";
import { lockClasses } from "./locks.ts";
import { executing, parsed, runColumns, type StoredRun, storedRun, unfinished } from "./run-records.ts";

/** Requests and runs that may answer a submission. */
export interface Answers {
  readonly now: Instant;
  readonly earlier: EarlierRequest | undefined;
  readonly withdrawnAt: Instant | undefined;
  readonly candidates: readonly StoredRun[];
}

const earlier = `
  SELECT now_ms() AS now, used.created_at AS withdrawn_at, used.body_hash, requests.record AS request
  FROM (SELECT 1) AS one
  LEFT JOIN idempotency_keys AS used ON used.api_key_id = $1 AND used.key = $2
  LEFT JOIN requests ON requests.id = used.request_id`;

// The newest result that has not expired (an older one may be retained for longer), and the run that others join.
const candidates = `
  (SELECT ${runColumns}, now_ms() AS now FROM runs WHERE reuse_key = $1 AND state = 'QUERY_STATE_SUCCESS'
    AND archived_at IS NULL AND expires_at > now_ms() ORDER BY ended_at DESC LIMIT 1)
  UNION ALL
  (SELECT ${runColumns}, now_ms() AS now FROM runs WHERE reuse_key = $1 AND state IN ${unfinished}
    ORDER BY shareable DESC LIMIT 1)`;

/** Reads what the decision on a submission depends on, except for the caps. */
export async function readAnswers(queries: Queries, { run, request, idempotency }: Submission): Promise<Answers> {
  const [used] = await queries.rows(earlier, idempotency?.apiKeyId ?? null, idempotency && keyHash(idempotency.key));
  const found = request.maxAgeMinutes > 0 ? await queries.rows(candidates, run.reuseKey) : [];
  const isUsed = typeof used?.request === "string";
  return {
    now: Number(used?.now),
    earlier: isUsed
      ? { request: parsed<RequestRecord>(used.request), isSame: used.body_hash === idempotency?.bodyHash }
      : undefined,
    withdrawnAt: isUsed || typeof used?.withdrawn_at !== "number" ? undefined : used.withdrawn_at,
    candidates: found.map(storedRun),
  };
}

/** Facts for a new run, which the caps may refuse. */
export interface NewRunFacts {
  readonly capacity: Capacity;
  /** Stored statement with the same text. */
  readonly statement: StatementRecord | undefined;
}

// The statement is locked, so that a purge does not delete it before the new run is stored.
const newRunFacts = `
  SELECT
    (SELECT record FROM (SELECT record FROM statements WHERE tenant_id = $1 AND hash = $2 FOR KEY SHARE) AS same) AS statement,
    (SELECT count(*) FROM (SELECT 1 FROM runs WHERE tenant_id = $1 AND state = 'QUERY_STATE_READY' LIMIT $3) AS n)
      + (SELECT count(*) FROM (SELECT 1 FROM runs WHERE tenant_id = $1 AND state IN ${executing} LIMIT $3) AS n) AS unfinished,
    (SELECT count(*) FROM (SELECT 1 FROM runs WHERE state = 'QUERY_STATE_READY' LIMIT $4) AS n) AS waiting,
    EXISTS (SELECT 1 FROM runs WHERE state = 'QUERY_STATE_READY' AND tenant_id = $1) AS is_queued,
    coalesce((SELECT bytes FROM stored_bytes WHERE tenant_id = $1), 0) AS stored_bytes`;

/** From this many waiting runs below their cap on, the submissions of all tenants are counted one after the other. */
const nearCap = 100;

/** Locks the new runs of a tenant until the transaction ends, so that none is counted twice or not at all. */
export async function lockTenant(queries: Queries, tenantId: string): Promise<void> {
  await queries.rows("SELECT pg_advisory_xact_lock($1, hashtext($2))", lockClasses.tenant, tenantId);
}

/**
 * Counts the runs of all tenants again if the queue is almost full, one submission after the other.
 * @param found counts of {@link readNewRunFacts}
 */
export async function readExactFacts(
  queries: Queries,
  submission: Submission,
  found: NewRunFacts,
): Promise<NewRunFacts> {
  const { maxQueuedRuns } = submission.caps;
  const isNear = maxQueuedRuns !== undefined && found.capacity.queuedRuns + nearCap > maxQueuedRuns;
  if (!isNear) return found;
  await queries.rows("SELECT pg_advisory_xact_lock($1, 0)", lockClasses.queue);
  return readNewRunFacts(queries, submission);
}

/** Counts the runs that the caps of a submission limit. The caller has locked the tenant. */
export async function readNewRunFacts(queries: Queries, { run, statement, caps }: Submission): Promise<NewRunFacts> {
  const { maxUnfinishedRuns, maxQueuedRuns, maxStoredBytes, isDiskFull = false } = caps;
  // Waiting runs are counted until they exceed twice the cap, unfinished ones further, since refusals report them.
  const queued = maxQueuedRuns === undefined ? 0 : 2 * maxQueuedRuns + 1;
  const limits = [maxUnfinishedRuns === undefined && maxQueuedRuns === undefined ? 0 : 1_000_000, queued];
  const [row] = await queries.rows(newRunFacts, run.tenantId, statement.statementHash, ...limits);
  return {
    statement: typeof row?.statement === "string" ? parsed<StatementRecord>(row.statement) : undefined,
    capacity: {
      maxUnfinishedRuns,
      maxQueuedRuns,
      unfinishedRuns: Number(row?.unfinished),
      queuedRuns: Number(row?.waiting),
      isTenantQueued: row?.is_queued === true,
      storage: { isDiskFull, maxStoredBytes, storedBytes: Number(row?.stored_bytes) },
    },
  };
}
