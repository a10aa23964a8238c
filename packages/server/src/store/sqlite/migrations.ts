/** A record is kept as JSON; what is searched by is a generated column of it, so that the two never differ. */
const tables = `
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

/**
 * What tells apart runs that may be shared, who works on a run until when, and whose turn it is. What is searched by is
 * stored now, so that counting the runs that wait and finding the next one does not read their records.
 */
const queue = `
  CREATE TABLE runs_with_stored_columns (
    id TEXT PRIMARY KEY,
    shareable INTEGER NOT NULL DEFAULT 0,
    lease_owner TEXT,
    lease_until INTEGER,
    max_running_runs INTEGER,
    tenant_id TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'tenantId') STORED,
    user_id TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'userId') STORED,
    reuse_key TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'reuseKey') STORED,
    sql_statement_id TEXT GENERATED ALWAYS AS (record ->> 'sqlStatementId') STORED,
    state TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'state') STORED,
    attempt INTEGER NOT NULL GENERATED ALWAYS AS (record ->> 'attempt') STORED,
    created_at INTEGER NOT NULL GENERATED ALWAYS AS (record ->> 'createdAt') STORED,
    ended_at INTEGER GENERATED ALWAYS AS (record ->> 'endedAt') STORED,
    expires_at INTEGER GENERATED ALWAYS AS (record ->> 'expiresAt') STORED,
    archived_at INTEGER GENERATED ALWAYS AS (record ->> 'archivedAt') STORED,
    record TEXT NOT NULL
  ) STRICT;
  INSERT INTO runs_with_stored_columns (id, record) SELECT id, record FROM runs;
  DROP TABLE runs;
  ALTER TABLE runs_with_stored_columns RENAME TO runs;

  CREATE UNIQUE INDEX runs_shared ON runs (reuse_key)
    WHERE shareable = 1 AND state IN ('QUERY_STATE_READY', 'QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS');
  CREATE INDEX runs_under_way ON runs (reuse_key, shareable DESC)
    WHERE state IN ('QUERY_STATE_READY', 'QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS');
  CREATE INDEX runs_reusable ON runs (reuse_key, ended_at DESC)
    WHERE state = 'QUERY_STATE_SUCCESS' AND archived_at IS NULL;
  CREATE INDEX runs_unfinished ON runs (tenant_id)
    WHERE state IN ('QUERY_STATE_READY', 'QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS');
  CREATE INDEX runs_executing ON runs (tenant_id)
    WHERE state IN ('QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS');
  CREATE INDEX runs_waiting ON runs (tenant_id, user_id, created_at, id, max_running_runs)
    WHERE state = 'QUERY_STATE_READY';
  CREATE INDEX runs_by_user ON runs (tenant_id, user_id, created_at DESC, id DESC);
  CREATE INDEX runs_by_expiry ON runs (expires_at) WHERE archived_at IS NULL;
  CREATE INDEX runs_by_end ON runs (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX runs_by_statement ON runs (sql_statement_id);

  CREATE TABLE turns (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, user_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX turns_by_turn ON turns (turn);
`;

/** What a key may do, what a tenant may use, what its users have used, and who asked for a run. Lists are JSON; null is no limit. */
const identity = `
  ALTER TABLE keys ADD COLUMN scopes TEXT NOT NULL DEFAULT '["run","read","cancel","tenant:admin"]';
  ALTER TABLE keys ADD COLUMN sources TEXT;
  ALTER TABLE keys ADD COLUMN origins TEXT;
  ALTER TABLE keys ADD COLUMN expires_at INTEGER;
  ALTER TABLE keys ADD COLUMN last_used_at INTEGER;

  CREATE TABLE tenants (
    id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    settings TEXT NOT NULL
  ) STRICT;

  CREATE TABLE usage (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    month TEXT NOT NULL,
    exec_ms INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    bytes_read INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, user_id, month)
  ) STRICT;

  ALTER TABLE requests ADD COLUMN sql_statement_id TEXT GENERATED ALWAYS AS (record ->> 'sqlStatementId') VIRTUAL;
  ALTER TABLE requests ADD COLUMN user_id TEXT GENERATED ALWAYS AS (record ->> 'userId') VIRTUAL;
  CREATE INDEX runs_by_tenant ON runs (tenant_id, created_at DESC, id DESC);
  CREATE INDEX requests_by_statement ON requests (sql_statement_id, user_id);
`;

/** Most requests have no idempotency key: the index need not know them. */
const idempotency = `
  DROP INDEX requests_by_idempotency_key;
  CREATE INDEX requests_by_idempotency_key ON requests (api_key_id, idempotency_key, created_at DESC)
    WHERE idempotency_key IS NOT NULL;
`;

/**
 * The runs that each user asked for, those of others among them, in the order of a list; and the latest request for a
 * statement. A key says whether another one of the environment took its place: an operator's revocation is for good.
 */
const asking = `
  CREATE TABLE asked (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    run_created_at INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, user_id, run_created_at, run_id)
  ) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO asked (tenant_id, user_id, run_created_at, run_id)
    SELECT runs.tenant_id, requests.user_id, runs.created_at, runs.id FROM requests JOIN runs ON runs.id = requests.run_id;
  DROP INDEX runs_by_user;
  DROP INDEX requests_by_statement;
  CREATE INDEX requests_by_statement ON requests (sql_statement_id, user_id, created_at);
  ALTER TABLE keys ADD COLUMN replaced INTEGER NOT NULL DEFAULT 0;
`;

/** Idempotency keys whose create was withdrawn before it arrived. */
const withdrawals = `
  CREATE TABLE withdrawn_keys (
    api_key_id TEXT NOT NULL,
    key TEXT NOT NULL,
    withdrawn_at INTEGER NOT NULL,
    PRIMARY KEY (api_key_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX withdrawn_keys_by_time ON withdrawn_keys (withdrawn_at);
`;

/** What all servers on the store share, such as the secret of links: JSON texts. */
const settings = `
  CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/**
 * How the database came to be as it is, the oldest first; `PRAGMA user_version` counts those that a database has had. A
 * released one is never changed: what is new comes after it.
 */
export const migrations: readonly string[] = [tables, queue, identity, idempotency, asking, withdrawals, settings];
