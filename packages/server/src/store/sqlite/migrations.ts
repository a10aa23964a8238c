import { queuesOfSources, storedBytes } from "./stored-bytes-migrations.ts";

/**
 * Runs, requests and statements are JSON records. A column that repeats a member of its record is generated from it, so
 * that the two cannot differ.
 */
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
 * Adds `shareable`, which marks the run of a reuse key that other requests join; leases; and `turns`, the round-robin
 * order of tenants and users. The generated columns are stored from now on, so that counting and claiming waiting runs
 * does not parse their records.
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

/**
 * Adds scopes and restrictions of keys, limits of tenants, usage, and the users of requests. Lists are JSON; null is no
 * limit.
 */
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

/** Restricts an index to requests with an idempotency key, which most requests do not have. */
const idempotency = `
  DROP INDEX requests_by_idempotency_key;
  CREATE INDEX requests_by_idempotency_key ON requests (api_key_id, idempotency_key, created_at DESC)
    WHERE idempotency_key IS NOT NULL;
`;

/**
 * Adds `asked`: the runs that each user requested, also runs of other users that they joined, in list order. Adds an
 * index for the latest request of a statement. `replaced` marks keys that another value of QUERN_API_KEY replaced:
 * unlike a revocation by an operator, this can be undone.
 */
const requestedRuns = `
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

/** Adds idempotency keys whose `createQueryRun` call was withdrawn before it arrived. */
const withdrawals = `
  CREATE TABLE withdrawn_keys (
    api_key_id TEXT NOT NULL,
    key TEXT NOT NULL,
    withdrawn_at INTEGER NOT NULL,
    PRIMARY KEY (api_key_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX withdrawn_keys_by_time ON withdrawn_keys (withdrawn_at);
`;

/** Adds settings that all servers on the store share, such as the secret of links, as JSON texts. */
const settings = `
  CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** Adds the networks of keys, and the single-use links that were used, until they expire. */
const access = `
  ALTER TABLE keys ADD COLUMN networks TEXT;
  CREATE TABLE used_links (
    id TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX used_links_by_expiry ON used_links (expires_at);
`;

/**
 * Adds `run_tags`, which finds the runs of a tenant by tag in list order, and indexes by state and data source. Triggers
 * keep the tags of each run, so that the table cannot differ from the records. A tag without a value is not listed,
 * since no filter matches it.
 */
const runLists = `
  ALTER TABLE runs ADD COLUMN data_source_id TEXT GENERATED ALWAYS AS (record ->> 'dataSourceId') VIRTUAL;
  CREATE INDEX runs_by_state ON runs (tenant_id, state, created_at, id);
  CREATE INDEX runs_by_source ON runs (tenant_id, data_source_id, created_at, id);

  CREATE TABLE run_tags (
    tenant_id TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    run_created_at INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, key, value, run_created_at, run_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO run_tags (tenant_id, key, value, run_created_at, run_id)
    SELECT tenant_id, tag.key, tag.value, created_at, runs.id FROM runs, json_each(record, '$.tags') AS tag
    WHERE tag.value IS NOT NULL ORDER BY 1, 2, 3, 4, 5;

  CREATE TRIGGER run_tags_inserted AFTER INSERT ON runs BEGIN
    INSERT INTO run_tags (tenant_id, key, value, run_created_at, run_id)
      SELECT new.tenant_id, tag.key, tag.value, new.created_at, new.id FROM json_each(new.record, '$.tags') AS tag
      WHERE tag.value IS NOT NULL;
  END;
  CREATE TRIGGER run_tags_deleted AFTER DELETE ON runs BEGIN
    DELETE FROM run_tags WHERE tenant_id = old.tenant_id AND run_created_at = old.created_at AND run_id = old.id
      AND (key, value) IN (SELECT tag.key, tag.value FROM json_each(old.record, '$.tags') AS tag);
  END;
  CREATE TRIGGER run_tags_changed AFTER UPDATE OF record ON runs
  WHEN (new.record -> '$.tags') IS NOT (old.record -> '$.tags') BEGIN
    DELETE FROM run_tags WHERE tenant_id = old.tenant_id AND run_created_at = old.created_at AND run_id = old.id
      AND (key, value) IN (SELECT tag.key, tag.value FROM json_each(old.record, '$.tags') AS tag);
    INSERT INTO run_tags (tenant_id, key, value, run_created_at, run_id)
      SELECT new.tenant_id, tag.key, tag.value, new.created_at, new.id FROM json_each(new.record, '$.tags') AS tag
      WHERE tag.value IS NOT NULL;
  END;
`;

/**
 * Migrations of the schema, the oldest first. `PRAGMA user_version` is the number of migrations that a database has
 * had. A released migration never changes; new ones are appended.
 */
export const migrations: readonly string[] = [
  tables,
  queue,
  identity,
  idempotency,
  requestedRuns,
  withdrawals,
  settings,
  runLists,
  access,
  storedBytes,
  queuesOfSources,
];
