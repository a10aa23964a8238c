import { createHash } from "node:crypto";
import type { Submission, WithdrawnKey } from "@quern/adapter";
import { idempotencyMs } from "@quern/query-run/idempotency";
import type { RequestRecord, RunRecord } from "@quern/query-run/record";
import { readClock } from "./clock.ts";
import { conflict, type Queries } from "./database.ts";
import { parsed } from "./run-records.ts";

/** Returns the hash under which an idempotency key is stored, because an index entry has a maximum size. */
export function keyHash(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

// A key is taken over if it was used at least a day ago, or if the submission knows that it was withdrawn. The lock on the run
// keeps an erasure from deleting it before the request is stored.
const insert = `
  WITH run AS MATERIALIZED (
    SELECT id, tenant_id, created_at FROM runs WHERE id = $1 AND archived_at IS NULL FOR KEY SHARE
  ), key AS (
    INSERT INTO idempotency_keys AS old (api_key_id, key, body_hash, request_id, created_at)
    SELECT $5, $8::bytea, $9, $2, $6::bigint FROM run WHERE $5::text IS NOT NULL
    ON CONFLICT (api_key_id, key) DO UPDATE
      SET body_hash = excluded.body_hash, request_id = excluded.request_id, created_at = excluded.created_at
      WHERE old.created_at <= $6::bigint - ${idempotencyMs} OR ($10 AND old.request_id IS NULL)
    RETURNING 1
  ), request AS (
    INSERT INTO requests (id, run_id, user_id, sql_statement_id, api_key_id, created_at, record)
    SELECT $2, id, $3, $4, $5, $6::bigint, $7 FROM run WHERE $5::text IS NULL OR EXISTS (SELECT 1 FROM key)
    RETURNING 1
  ), requested AS (
    INSERT INTO requested_runs (tenant_id, user_id, created_at, id) SELECT tenant_id, $3, created_at, id FROM run
    WHERE EXISTS (SELECT 1 FROM request) ON CONFLICT DO NOTHING
  )
  SELECT 1 FROM request`;

/**
 * Stores a request with its idempotency key, or neither.
 * @throws {@link conflict} if the run is deleted or archived, or another call with the key was faster
 */
export async function insertRequest(
  queries: Queries,
  { idempotency }: Pick<Submission, "idempotency">,
  run: RunRecord,
  request: RequestRecord,
  isWithdrawn: boolean,
): Promise<void> {
  const { id, userId, sqlStatementId, createdAt } = request;
  const { apiKeyId, bodyHash } = idempotency ?? { apiKeyId: null, bodyHash: null };
  const keys = [run.id, id, userId, sqlStatementId, apiKeyId, createdAt, JSON.stringify(request)];
  const hash = idempotency && keyHash(idempotency.key);
  const inserted = await queries.rows(insert, ...keys, hash, bodyHash, isWithdrawn);
  if (inserted.length !== 1) throw conflict;
}

const withdraw = `
  INSERT INTO idempotency_keys AS old (api_key_id, key, created_at) VALUES ($1, $2, $3)
  ON CONFLICT (api_key_id, key) DO UPDATE SET body_hash = NULL, request_id = NULL, created_at = excluded.created_at
    WHERE old.request_id IS NULL OR old.created_at <= $3 - ${idempotencyMs}
  RETURNING 1`;

/** Returns the request that was created with a key in the last 24 hours, or else remembers the key as withdrawn. */
export async function withdrawKey(
  queries: Queries,
  { apiKeyId, key }: WithdrawnKey,
): Promise<RequestRecord | undefined> {
  const now = await readClock(queries);
  await queries.rows("DELETE FROM idempotency_keys WHERE request_id IS NULL AND created_at <= $1", now - idempotencyMs);
  const hash = keyHash(key);
  if ((await queries.rows(withdraw, apiKeyId, hash, now)).length === 1) return undefined;
  const [row] = await queries.rows(
    `SELECT record FROM idempotency_keys AS used JOIN requests ON requests.id = used.request_id
      WHERE used.api_key_id = $1 AND key = $2`,
    apiKeyId,
    hash,
  );
  if (row === undefined) throw conflict; // the request was erased in between
  return parsed<RequestRecord>(row.record);
}
