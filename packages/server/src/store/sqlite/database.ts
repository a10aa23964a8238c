import { DatabaseSync } from "node:sqlite";

/** A record is kept as JSON; what is searched by is a generated column of it, so that the two never differ. */
const schema = `
  CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY,
    record TEXT NOT NULL,
    tenant_id TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'tenantId') VIRTUAL,
    user_id TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'userId') VIRTUAL,
    reuse_key TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'reuseKey') VIRTUAL,
    state TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'state') VIRTUAL,
    attempt INTEGER NOT NULL GENERATED ALWAYS AS (record ->> 'attempt') VIRTUAL,
    created_at INTEGER NOT NULL GENERATED ALWAYS AS (record ->> 'createdAt') VIRTUAL,
    expires_at INTEGER GENERATED ALWAYS AS (record ->> 'expiresAt') VIRTUAL,
    archived_at INTEGER GENERATED ALWAYS AS (record ->> 'archivedAt') VIRTUAL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS runs_by_reuse_key ON runs (reuse_key, created_at DESC);
  CREATE INDEX IF NOT EXISTS runs_by_state ON runs (state, created_at);
  CREATE INDEX IF NOT EXISTS runs_by_user ON runs (tenant_id, user_id, created_at DESC, id DESC);
  CREATE INDEX IF NOT EXISTS runs_by_expiry ON runs (expires_at) WHERE archived_at IS NULL;

  CREATE TABLE IF NOT EXISTS requests (
    id TEXT PRIMARY KEY,
    record TEXT NOT NULL,
    withdrawn_at INTEGER,
    api_key_id TEXT,
    body_hash TEXT,
    run_id TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'queryRunId') VIRTUAL,
    idempotency_key TEXT GENERATED ALWAYS AS (record ->> 'idempotencyKey') VIRTUAL,
    created_at INTEGER NOT NULL GENERATED ALWAYS AS (record ->> 'createdAt') VIRTUAL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS requests_by_run ON requests (run_id);
  CREATE INDEX IF NOT EXISTS requests_by_idempotency_key ON requests (api_key_id, idempotency_key, created_at DESC);

  CREATE TABLE IF NOT EXISTS statements (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    record TEXT NOT NULL,
    hash TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'statementHash') VIRTUAL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS statements_by_hash ON statements (tenant_id, hash);

  CREATE TABLE IF NOT EXISTS keys (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    origin TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT;
`;

/** Opens the database that holds the state of a server; a commit is on disk when it returns. */
export function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
  database.exec(schema);
  return database;
}
