import type { RecordTable, RecordTables } from "@quern/adapter";
import type { RequestRecord, StatementRecord } from "@quern/query-run/record";
import type { Database, Queries, Row } from "./database.ts";
import { toKeyRecord } from "./key-store.ts";
import { importRun, parsed, runColumns, storedRun } from "./run-records.ts";
import { toTenantRecord, toUsageRecord } from "./tenant-store.ts";

const batchSize = 500;

/** Rows of a table in the order of a unique key, so that each batch begins after the last row of the one before. */
interface Selection {
  readonly columns?: string;
  readonly table: string;
  readonly key: readonly string[];
}

/** Creates the record tables of a PostgreSQL store, which a migration reads and writes. */
export function createPostgresRecords(database: Database): RecordTables {
  /** @param insert stores a record; called for all records of a batch at once, whose statements keep their order */
  function table<T>(
    selection: Selection,
    toRecord: (row: Row) => T,
    insert: (queries: Queries, record: T) => Promise<unknown>,
  ): RecordTable<T> {
    return {
      read: () => batches(database, selection, toRecord),
      async write(records) {
        await database.transaction((queries) => Promise.all(records.map((record) => insert(queries, record))));
      },
    };
  }

  return {
    tenants: table({ table: "tenants", key: ["id"] }, toTenantRecord, (queries, { id, createdAt, settings }) =>
      queries.rows(
        "INSERT INTO tenants (id, created_at, settings) VALUES ($1, $2, $3::jsonb) ON CONFLICT DO NOTHING",
        id,
        createdAt,
        JSON.stringify(settings),
      ),
    ),
    keys: table(
      { table: "keys", key: ["id"] },
      (row) => {
        const { state: _, ...key } = toKeyRecord({ ...row, now: 0 });
        return key;
      },
      (queries, key) =>
        queries.rows(
          `INSERT INTO keys (id, hash, last_four, origin, tenant_id, user_id, scopes, sources, origins, networks,
            created_at, expires_at, revoked_at, last_used_at, replaced)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING`,
          key.id,
          Buffer.from(key.hash),
          key.lastFour,
          key.origin,
          key.tenantId,
          key.userId,
          key.scopes,
          key.sources,
          key.origins,
          key.networks,
          key.createdAt,
          key.expiresAt,
          key.revokedAt,
          key.lastUsedAt,
          key.replaced,
        ),
    ),
    settings: table(
      { table: "settings", key: ["name"] },
      ({ name, value }) => ({ name: String(name), text: String(value) }),
      (queries, { name, text }) =>
        queries.rows("INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", name, text),
    ),
    usage: table(
      { table: "usage", key: ["month", "tenant_id", "user_id"] },
      toUsageRecord,
      (queries, { month, tenantId, userId, execMs, runs, rows, bytesRead }) =>
        queries.rows(
          `INSERT INTO usage (month, tenant_id, user_id, exec_ms, runs, rows, bytes_read)
          VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
          month,
          tenantId,
          userId,
          execMs,
          runs,
          rows,
          bytesRead,
        ),
    ),
    usedLinks: table(
      { table: "used_links", key: ["id"] },
      (row) => ({ id: String(row.id), expiresAt: Number(row.expires_at) }),
      (queries, { id, expiresAt }) =>
        queries.rows("INSERT INTO used_links (id, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING", id, expiresAt),
    ),
    statements: table(
      { table: "statements", key: ["tenant_id", "id"] },
      (row) => ({ tenantId: String(row.tenant_id), ...parsed<StatementRecord>(row.record) }),
      (queries, { tenantId, ...statement }) =>
        queries.rows(
          "INSERT INTO statements (id, tenant_id, hash, record) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
          statement.id,
          tenantId,
          statement.statementHash,
          JSON.stringify(statement),
        ),
    ),
    runs: table(
      { columns: `id, ${runColumns}, max_running_runs, shareable`, table: "runs", key: ["id"] },
      (row) => ({
        run: storedRun(row).run,
        maxRunningRuns: row.max_running_runs === null ? null : Number(row.max_running_runs),
        isShareable: row.shareable === true,
      }),
      importRun,
    ),
    requests: table(
      { table: "requests", key: ["nth"] },
      (row) => ({
        request: parsed<RequestRecord>(row.record),
        apiKeyId: row.api_key_id === null ? null : String(row.api_key_id),
        withdrawnAt: row.withdrawn_at === null ? null : Number(row.withdrawn_at),
      }),
      (queries, { request, apiKeyId, withdrawnAt }) =>
        queries.rows(
          insertRequest,
          request.id,
          request.queryRunId,
          request.userId,
          request.sqlStatementId,
          apiKeyId,
          request.createdAt,
          withdrawnAt,
          JSON.stringify(request),
        ),
    ),
    idempotencyKeys: table(
      { table: "idempotency_keys", key: ["api_key_id", "key"] },
      (row) => ({
        apiKeyId: String(row.api_key_id),
        keyHash: Buffer.isBuffer(row.key) ? row.key.toString("hex") : "",
        createdAt: Number(row.created_at),
        bodyHash: row.body_hash === null ? null : String(row.body_hash),
        requestId: row.request_id === null ? null : String(row.request_id),
      }),
      (queries, { apiKeyId, keyHash, createdAt, bodyHash, requestId }) =>
        queries.rows(
          `INSERT INTO idempotency_keys (api_key_id, key, created_at, body_hash, request_id)
          VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
          apiKeyId,
          Buffer.from(keyHash, "hex"),
          createdAt,
          bodyHash,
          requestId,
        ),
    ),
  };
}

const insertRequest = `
  WITH request AS (
    INSERT INTO requests (id, run_id, user_id, sql_statement_id, api_key_id, created_at, withdrawn_at, record)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
  )
  INSERT INTO requested_runs (tenant_id, user_id, created_at, id)
    SELECT tenant_id, $3, created_at, id FROM runs WHERE id = $2 ON CONFLICT DO NOTHING`;

async function* batches<T>(
  database: Database,
  { columns = "*", table, key }: Selection,
  toRecord: (row: Row) => T,
): AsyncGenerator<readonly T[]> {
  const names = key.join(", ");
  const select = `SELECT ${columns} FROM ${table}`;
  const following = `WHERE (${names}) > (${key.map((_, index) => `$${index + 1}`).join(", ")})`;
  const order = `ORDER BY ${names} LIMIT ${batchSize}`;
  let rows = await database.rows(`${select} ${order}`);
  while (rows.length > 0) {
    yield rows.map(toRecord);
    const last = rows.at(-1) ?? {};
    if (rows.length < batchSize) return;
    rows = await database.rows(`${select} ${following} ${order}`, ...key.map((name) => last[name]));
  }
}
