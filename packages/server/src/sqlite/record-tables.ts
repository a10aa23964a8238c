import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { CallerRequest, RecordTable, RecordTables } from "@quern/adapter";
import type { RequestRecord, RunRecord, StatementRecord } from "@quern/query-run/record";
import type { Commits } from "./group-commit.ts";
import { prepareIdempotencyWrite, readIdempotencyRecords } from "./idempotency-records.ts";
import { listText, toKeyRecord } from "./key-store.ts";
import { recordOf } from "./records.ts";
import { toTenantRecord } from "./tenant-store.ts";
import { toUsageRecord } from "./usage-records.ts";

type Row = Record<string, SQLOutputValue>;

const batchSize = 500;

/** Creates the record tables of an SQLite store, which a migration reads and writes. Statements are prepared when they are needed, since only a migration does. */
export function createSqliteRecords(database: DatabaseSync, commits: Commits): RecordTables {
  function tableOf<T>(rows: () => Iterable<T>, prepareWrite: () => (record: T) => void): RecordTable<T> {
    return {
      read: () => batches(rows()),
      write: (records) => {
        const write = prepareWrite();
        return commits.change(() => records.forEach(write));
      },
    };
  }

  /** @param values of the parameters of `insert` */
  function table<T>(
    select: string,
    toRecord: (row: Row) => T,
    insert: string,
    values: (record: T) => SQLInputValue[],
  ): RecordTable<T> {
    const rows = () => mapped(database.prepare(select).iterate(), toRecord);
    return tableOf(rows, () => {
      const statement = database.prepare(`${insert} ON CONFLICT DO NOTHING`);
      return (record) => void statement.run(...values(record));
    });
  }

  const readRequests = (): Iterable<CallerRequest> =>
    mapped(
      database.prepare("SELECT record, api_key_id, withdrawn_at FROM requests ORDER BY rowid").iterate(),
      (row) => ({
        request: recordOf<RequestRecord>(row),
        apiKeyId: textOf(row.api_key_id),
        withdrawnAt: numberOf(row.withdrawn_at),
      }),
    );

  return {
    tenants: table(
      "SELECT * FROM tenants",
      toTenantRecord,
      "INSERT INTO tenants (id, created_at, settings) VALUES (?, ?, ?)",
      ({ id, createdAt, settings }) => [id, createdAt, JSON.stringify(settings)],
    ),
    keys: table(
      "SELECT * FROM keys",
      (row) => {
        const { state: _, ...key } = toKeyRecord(row, 0);
        return key;
      },
      `INSERT INTO keys (id, hash, last_four, origin, tenant_id, user_id, scopes, sources, origins, networks, created_at,
        expires_at, revoked_at, last_used_at, replaced) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      (key) => [
        key.id,
        key.hash,
        key.lastFour,
        key.origin,
        key.tenantId,
        key.userId,
        JSON.stringify(key.scopes),
        ...[key.sources, key.origins, key.networks].map(listText),
        key.createdAt,
        key.expiresAt,
        key.revokedAt,
        key.lastUsedAt,
        key.replaced ? 1 : 0,
      ],
    ),
    settings: table(
      "SELECT name, value FROM settings",
      ({ name, value }) => ({ name: String(name), text: String(value) }),
      "INSERT INTO settings (name, value) VALUES (?, ?)",
      ({ name, text }) => [name, text],
    ),
    usage: table(
      "SELECT * FROM usage",
      toUsageRecord,
      "INSERT INTO usage (tenant_id, user_id, month, exec_ms, runs, rows, bytes_read) VALUES (?, ?, ?, ?, ?, ?, ?)",
      ({ tenantId, userId, month, execMs, runs, rows, bytesRead }) => [
        tenantId,
        userId,
        month,
        execMs,
        runs,
        rows,
        bytesRead,
      ],
    ),
    usedLinks: table(
      "SELECT id, expires_at FROM used_links",
      (row) => ({ id: String(row.id), expiresAt: Number(row.expires_at) }),
      "INSERT INTO used_links (id, expires_at) VALUES (?, ?)",
      ({ id, expiresAt }) => [id, expiresAt],
    ),
    statements: table(
      "SELECT tenant_id, record FROM statements",
      (row) => ({ tenantId: String(row.tenant_id), ...recordOf<StatementRecord>(row) }),
      "INSERT INTO statements (id, tenant_id, record) VALUES (?, ?, ?)",
      ({ tenantId, ...statement }) => [statement.id, tenantId, JSON.stringify(statement)],
    ),
    runs: table(
      "SELECT record, max_running_runs, shareable FROM runs ORDER BY rowid",
      (row) => ({
        run: recordOf<RunRecord>(row),
        maxRunningRuns: numberOf(row.max_running_runs),
        isShareable: row.shareable === 1,
      }),
      "INSERT INTO runs (id, record, max_running_runs, shareable) VALUES (?, ?, ?, ?)",
      ({ run, maxRunningRuns, isShareable }) => [run.id, JSON.stringify(run), maxRunningRuns, isShareable ? 1 : 0],
    ),
    requests: tableOf(readRequests, () => {
      const insert = database.prepare(
        "INSERT INTO requests (id, record, api_key_id, withdrawn_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      );
      const requested = database.prepare(
        `INSERT OR IGNORE INTO requested_runs (tenant_id, user_id, run_created_at, run_id)
          SELECT tenant_id, ?, created_at, id FROM runs WHERE id = ?`,
      );
      return ({ request, apiKeyId, withdrawnAt }) => {
        insert.run(request.id, JSON.stringify(request), apiKeyId, withdrawnAt);
        requested.run(request.userId, request.queryRunId);
      };
    }),
    idempotencyKeys: tableOf(
      () => readIdempotencyRecords(database),
      () => prepareIdempotencyWrite(database),
    ),
  };
}

async function* batches<T>(records: Iterable<T>): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for (const record of records) {
    batch.push(record);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function* mapped<T>(rows: Iterable<Row>, toRecord: (row: Row) => T): Generator<T> {
  for (const row of rows) yield toRecord(row);
}

function textOf(value: SQLOutputValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function numberOf(value: SQLOutputValue | undefined): number | null {
  return typeof value === "number" ? value : null;
}
