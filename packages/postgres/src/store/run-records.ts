import { createHash } from "node:crypto";
import type { QueuedRun } from "@quern/adapter";
import { isFinal, type RunRecord, type Tags } from "@quern/query-run/record";
import type { Queries, Row } from "./database.ts";

/** States as lists for `IN`, written exactly as in the partial indexes, so that PostgreSQL uses those. */
export const unfinished = "('QUERY_STATE_READY', 'QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS')";
export const executing = "('QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS')";

/** Run with the number of its changes, by which writers notice that another one has changed it. */
export interface StoredRun {
  readonly run: RunRecord;
  readonly version: number;
}

/** Columns from which {@link storedRun} makes a run. */
export const runColumns = ["record", "parameters", "version"].map((column) => `runs.${column}`).join(", ");

/** Returns the run in a row. Only this package writes the records. */
export function storedRun({ record, parameters, version }: Row): StoredRun {
  return { run: { ...parsed<RunRecord>(record), parameters: parsed(parameters) }, version: Number(version) };
}

/** Parses a JSON text of this store; null for null. */
export function parsed<T>(text: unknown): T {
  return text === null ? (null as T) : (JSON.parse(String(text)) as T);
}

/** Returns the text of a run without its parameters. */
export function recordText({ parameters: _, ...record }: RunRecord): string {
  return JSON.stringify(record);
}

/** Returns the texts of a run: its record without the parameters, and the parameters. */
function textsOf(run: RunRecord): readonly [string, string | null] {
  return [recordText(run), run.parameters === null ? null : JSON.stringify(run.parameters)];
}

/** Returns the keys by which a run is found by its tags. No filter matches a tag without a value. */
function tagKeys(tags: Tags): Buffer[] {
  return Object.entries(tags).flatMap(([key, value]) => (value === null ? [] : [tagKey(key, value)]));
}

/** Returns the key of a tag: a hash, because an index entry has a maximum size. */
export function tagKey(key: string, value: string): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([key, value]))
    .digest()
    .subarray(0, 16);
}

/** True for a state of which subscribers are notified. */
export function isNoticed(state: RunRecord["state"]): boolean {
  return state === "QUERY_STATE_READY" || isFinal(state);
}

/** Reads a run without a lock; undefined if it does not exist. */
export async function readRun(queries: Queries, id: string): Promise<StoredRun | undefined> {
  const [row] = await queries.rows(`SELECT ${runColumns} FROM runs WHERE id = $1`, id);
  return row && storedRun(row);
}

/** Locks a run until the end of the transaction, and returns it; undefined if it does not exist. */
export async function lockRun(queries: Queries, id: string): Promise<StoredRun | undefined> {
  const [row] = await queries.rows(`SELECT ${runColumns} FROM runs WHERE id = $1 FOR UPDATE`, id);
  return row && storedRun(row);
}

const update = `
  UPDATE runs SET version = version + 1, record = $3, parameters = $4, user_id = $5, state = $6, attempt = $7,
    ended_at = $8, expires_at = $9, archived_at = $10, stored_bytes = $11,
    noticed_at = CASE WHEN $12 THEN real_ms() ELSE noticed_at END
  WHERE id = $1 AND version = $2 RETURNING version`;

/** Run before and after a change. */
export interface ChangedRun {
  readonly before: StoredRun;
  readonly run: RunRecord;
}

/**
 * Stores a changed run, unless it was changed since it was read. Its version implies its state and attempt.
 * @returns false if it was changed meanwhile
 */
export async function saveRun(queries: Queries, change: ChangedRun): Promise<boolean> {
  const { before, run } = change;
  const { id, userId, state, attempt, endedAt, expiresAt, archivedAt } = run;
  const columns = [userId, state, attempt, endedAt, expiresAt, archivedAt, storedBytes(run), hasNotice(change)];
  return (await queries.rows(update, id, before.version, ...textsOf(run), ...columns)).length === 1;
}

// A run that another writer has locked is skipped, so that it delays none of the others.
const updateUnlocked = `
  WITH changed AS (
    SELECT changed.*, runs.ctid AS row_id
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::integer[], $6::bigint[], $7::bigint[],
      $8::bigint[], $9::bigint[], $10::boolean[])
      AS changed (id, version, record, state, attempt, ended_at, expires_at, archived_at, stored_bytes, has_notice)
    JOIN runs ON runs.id = changed.id AND runs.version = changed.version
    FOR NO KEY UPDATE OF runs SKIP LOCKED
  )
  UPDATE runs SET version = runs.version + 1, record = changed.record, state = changed.state, attempt = changed.attempt,
    ended_at = changed.ended_at, expires_at = changed.expires_at, archived_at = changed.archived_at,
    stored_bytes = changed.stored_bytes, noticed_at = CASE WHEN has_notice THEN real_ms() ELSE noticed_at END
  FROM changed WHERE runs.ctid = changed.row_id RETURNING runs.id`;

/**
 * Stores runs after events, except for those that another writer has changed since they were read, or locks at the
 * moment.
 * @returns the ids of the runs that were stored
 */
export async function saveRuns(queries: Queries, changes: readonly ChangedRun[]): Promise<ReadonlySet<unknown>> {
  const rows = await queries.rows(
    updateUnlocked,
    changes.map(({ run }) => run.id),
    changes.map(({ before }) => before.version),
    changes.map(({ run }) => recordText(run)),
    changes.map(({ run }) => run.state),
    changes.map(({ run }) => run.attempt),
    changes.map(({ run }) => run.endedAt),
    changes.map(({ run }) => run.expiresAt),
    changes.map(({ run }) => run.archivedAt),
    changes.map(({ run }) => storedBytes(run)),
    changes.map(hasNotice),
  );
  return new Set(rows.map(({ id }) => id));
}

/** True for a change of which subscribers are notified. */
export function hasNotice({ before, run }: ChangedRun): boolean {
  return run.state !== before.run.state && isNoticed(run.state);
}

/** Returns the bytes of a run that count against the quota of the tenant: its result, parameters and tags. */
export function storedBytes({ result, archivedAt, parameters, tags }: RunRecord): number {
  const ofResult = archivedAt === null ? (result?.totalBytes ?? 0) : 0;
  const ofParameters = parameters === null ? 0 : Buffer.byteLength(JSON.stringify(parameters));
  const ofTags = Object.keys(tags).length === 0 ? 0 : Buffer.byteLength(JSON.stringify(tags));
  return ofResult + ofParameters + ofTags;
}

const insert = `
  WITH new_run AS (
    INSERT INTO runs (id, tenant_id, user_id, reuse_key, sql_statement_id, data_source_id, state, attempt, created_at,
      max_running_runs, tags, record, parameters, noticed_at, ended_at, stored_bytes, shareable)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::bytea[], $12, $13, real_ms(), $14, $15,
      NOT EXISTS (SELECT 1 FROM runs WHERE reuse_key = $4 AND shareable AND state IN ${unfinished}))
  ), new_queue AS (
    INSERT INTO queues (tenant_id) VALUES ($2) ON CONFLICT DO NOTHING
  )
  INSERT INTO run_tags (tenant_id, tag, created_at, id) SELECT DISTINCT $2, tag, $9::bigint, $1 FROM unnest($11::bytea[]) AS tag`;

/**
 * Stores a new run. The first unfinished run of a reuse key is the one that others join.
 * @param maxRunningRuns maximum number of runs of the tenant that execute at the same time; null is no cap
 */
export async function insertRun(queries: Queries, run: RunRecord, maxRunningRuns: number | null): Promise<void> {
  const [record, parameters] = textsOf(run);
  const { id, tenantId, userId, reuseKey, sqlStatementId, dataSourceId, state, attempt, createdAt, endedAt } = run;
  const keys = [id, tenantId, userId, reuseKey, sqlStatementId, dataSourceId, state, attempt, createdAt];
  await queries.rows(insert, ...keys, maxRunningRuns, tagKeys(run.tags), record, parameters, endedAt, storedBytes(run));
}

const importing = `
  WITH new_run AS (
    INSERT INTO runs (id, tenant_id, user_id, reuse_key, sql_statement_id, data_source_id, state, attempt, created_at,
      max_running_runs, tags, record, parameters, ended_at, expires_at, archived_at, stored_bytes, shareable)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::bytea[], $12, $13, $14, $15, $16, $17, $18)
    ON CONFLICT DO NOTHING
  ), new_queue AS (
    INSERT INTO queues (tenant_id) VALUES ($2) ON CONFLICT DO NOTHING
  )
  INSERT INTO run_tags (tenant_id, tag, created_at, id)
    SELECT DISTINCT $2, tag, $9::bigint, $1 FROM unnest($11::bytea[]) AS tag ON CONFLICT DO NOTHING`;

/** Stores a run of another store, in any state. A run that exists stays as it is. */
export async function importRun(queries: Queries, { run, maxRunningRuns, isShareable }: QueuedRun): Promise<void> {
  const [record, parameters] = textsOf(run);
  const { id, tenantId, userId, reuseKey, sqlStatementId, dataSourceId, state, attempt, createdAt } = run;
  const keys = [id, tenantId, userId, reuseKey, sqlStatementId, dataSourceId, state, attempt, createdAt];
  const times = [run.endedAt, run.expiresAt, run.archivedAt];
  const texts = [maxRunningRuns, tagKeys(run.tags), record, parameters];
  await queries.rows(importing, ...keys, ...texts, ...times, storedBytes(run), isShareable);
}

const forgetTags = `
  DELETE FROM run_tags USING runs, unnest(runs.tags) AS each WHERE runs.id = ANY($1::text[])
    AND run_tags.tenant_id = runs.tenant_id AND run_tags.tag = each AND run_tags.created_at = runs.created_at
    AND run_tags.id = runs.id`;

/** Replaces the tags by which a run is found. */
export async function replaceTags(queries: Queries, { id, tags }: RunRecord): Promise<void> {
  await queries.rows(forgetTags, [id]);
  await queries.rows("UPDATE runs SET tags = $2::bytea[] WHERE id = $1", id, tagKeys(tags));
  await queries.rows(
    `INSERT INTO run_tags (tenant_id, tag, created_at, id)
      SELECT DISTINCT tenant_id, tag, created_at, id FROM runs, unnest(tags) AS tag WHERE id = $1`,
    id,
  );
}

/**
 * Deletes runs that the transaction has locked, with their requests and the statements that no other run has.
 * @returns the number of deleted statements
 */
export async function deleteRuns(queries: Queries, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  await queries.rows(
    `DELETE FROM requested_runs USING runs, requests WHERE runs.id = ANY($1::text[]) AND requests.run_id = runs.id
      AND requested_runs.tenant_id = runs.tenant_id AND requested_runs.user_id = requests.user_id
      AND requested_runs.created_at = runs.created_at AND requested_runs.id = runs.id`,
    ids,
  );
  await queries.rows("DELETE FROM requests WHERE run_id = ANY($1::text[])", ids);
  await queries.rows(forgetTags, ids);
  // The rows are locked before it is decided which of them no run has, since a submission locks the one that it uses.
  const statements = await queries.rows(
    `SELECT statements.tenant_id, statements.id FROM statements WHERE (tenant_id, id) IN
      (SELECT tenant_id, sql_statement_id FROM runs WHERE id = ANY($1::text[])) ORDER BY 1, 2 FOR UPDATE`,
    ids,
  );
  await queries.rows("DELETE FROM runs WHERE id = ANY($1::text[])", ids);
  const deleted = await queries.rows(
    `DELETE FROM statements USING unnest($1::text[], $2::text[]) AS old (tenant, statement)
      WHERE tenant_id = tenant AND id = statement AND NOT EXISTS
        (SELECT 1 FROM runs WHERE runs.tenant_id = tenant AND sql_statement_id = statement)
      RETURNING id`,
    statements.map(({ tenant_id }) => tenant_id),
    statements.map(({ id }) => id),
  );
  return deleted.length;
}
