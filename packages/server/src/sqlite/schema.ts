/** States of runs that have not ended. */
const unfinished = "('QUERY_STATE_READY', 'QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS')";

/**
 * Runs, requests and statements are JSON records. A column that repeats a member of its record is generated from it, so
 * that the two cannot differ. Those of runs are stored, so that counting and claiming runs does not parse their records.
 */
const records = `
  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    shareable INTEGER NOT NULL DEFAULT 0,
    lease_owner TEXT,
    lease_until INTEGER,
    max_running_runs INTEGER,
    tenant_id TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'tenantId') STORED,
    user_id TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'userId') STORED,
    reuse_key TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'reuseKey') STORED,
    sql_statement_id TEXT GENERATED ALWAYS AS (record ->> 'sqlStatementId') STORED,
    data_source_id TEXT GENERATED ALWAYS AS (record ->> 'dataSourceId') VIRTUAL,
    state TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'state') STORED,
    attempt INTEGER NOT NULL GENERATED ALWAYS AS (record ->> 'attempt') STORED,
    created_at INTEGER NOT NULL GENERATED ALWAYS AS (record ->> 'createdAt') STORED,
    ended_at INTEGER GENERATED ALWAYS AS (record ->> 'endedAt') STORED,
    expires_at INTEGER GENERATED ALWAYS AS (record ->> 'expiresAt') STORED,
    archived_at INTEGER GENERATED ALWAYS AS (record ->> 'archivedAt') STORED,
    stored_bytes INTEGER GENERATED ALWAYS AS (
      iif(state = 'QUERY_STATE_SUCCESS' AND archived_at IS NULL, record ->> '$.result.totalBytes', 0)
      + coalesce(octet_length(nullif(record -> '$.parameters', 'null')), 0)
      + coalesce(octet_length(nullif(record -> '$.tags', '{}')), 0)
    ) VIRTUAL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX runs_shared ON runs (reuse_key) WHERE shareable = 1 AND state IN ${unfinished};
  CREATE INDEX runs_under_way ON runs (reuse_key, shareable DESC) WHERE state IN ${unfinished};
  CREATE INDEX runs_reusable ON runs (reuse_key, ended_at DESC)
    WHERE state = 'QUERY_STATE_SUCCESS' AND archived_at IS NULL;
  CREATE INDEX runs_executing ON runs (tenant_id)
    WHERE state IN ('QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS');
  CREATE INDEX runs_waiting ON runs (tenant_id, user_id, created_at, id, max_running_runs, data_source_id)
    WHERE state = 'QUERY_STATE_READY';
  CREATE INDEX runs_by_tenant ON runs (tenant_id, created_at DESC, id DESC);
  CREATE INDEX runs_by_state ON runs (tenant_id, state, created_at, id);
  CREATE INDEX runs_by_source ON runs (tenant_id, data_source_id, created_at, id);
  CREATE INDEX runs_by_statement ON runs (sql_statement_id);
  CREATE INDEX runs_by_expiry ON runs (expires_at) WHERE archived_at IS NULL AND expires_at IS NOT NULL;
  CREATE INDEX runs_by_end ON runs (ended_at) WHERE ended_at IS NOT NULL;

  CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    withdrawn_at INTEGER,
    api_key_id TEXT,
    body_hash TEXT,
    run_id TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'queryRunId') VIRTUAL,
    user_id TEXT GENERATED ALWAYS AS (record ->> 'userId') VIRTUAL,
    sql_statement_id TEXT GENERATED ALWAYS AS (record ->> 'sqlStatementId') VIRTUAL,
    idempotency_key TEXT GENERATED ALWAYS AS (record ->> 'idempotencyKey') VIRTUAL,
    created_at INTEGER NOT NULL GENERATED ALWAYS AS (record ->> 'createdAt') VIRTUAL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX requests_by_run ON requests (run_id);
  CREATE INDEX requests_by_statement ON requests (sql_statement_id, user_id, created_at);
  CREATE INDEX requests_by_idempotency_key ON requests (api_key_id, idempotency_key, created_at DESC)
    WHERE idempotency_key IS NOT NULL;

  -- SHA-256 of idempotency keys whose createQueryRun call was withdrawn before it arrived.
  CREATE TABLE withdrawn_keys (
    api_key_id TEXT NOT NULL,
    key_hash TEXT NOT NULL,
    withdrawn_at INTEGER NOT NULL,
    PRIMARY KEY (api_key_id, key_hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX withdrawn_keys_by_time ON withdrawn_keys (withdrawn_at);

  CREATE TABLE statements (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    hash TEXT NOT NULL GENERATED ALWAYS AS (record ->> 'statementHash') VIRTUAL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX statements_by_hash ON statements (tenant_id, hash);
`;

/**
 * Tables for lists of runs, in list order. `requested_runs` has the runs that each user requested, also runs of other
 * users that they joined. Triggers keep `run_tags`, which has no tag without a value, since no filter matches it.
 */
const runLists = `
  CREATE TABLE requested_runs (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    run_created_at INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, user_id, run_created_at, run_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE run_tags (
    tenant_id TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    run_created_at INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, key, value, run_created_at, run_id)
  ) STRICT, WITHOUT ROWID;
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

/** Lists are JSON; null is no limit. `turns` is the round-robin order of tenants and users. */
const tenantsAndKeys = `
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

  CREATE TABLE turns (
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    turn INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, user_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX turns_by_turn ON turns (turn);

  -- Another value of QUERN_API_KEY has replaced a key that is marked so. Unlike a revocation, this can be undone.
  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    origin TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    scopes TEXT NOT NULL,
    sources TEXT,
    origins TEXT,
    networks TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    replaced INTEGER NOT NULL DEFAULT 0,
    last_used_at INTEGER
  ) STRICT;

  -- Settings that all servers on the store share, such as the secret of links, as JSON texts.
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- Single-use links that were used, until they expire.
  CREATE TABLE used_links (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX used_links_by_expiry ON used_links (expires_at);

  -- Filters and orders of links, as JSON texts, until the links expire.
  CREATE TABLE link_views (id TEXT PRIMARY KEY, text TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT;
  CREATE INDEX link_views_by_expiry ON link_views (expires_at);
`;

/** Uploads, without their files. An upload without a hash has no complete file, and counts with its maximum size. */
const uploads = `
  CREATE TABLE uploads (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    format TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT,
    run_id TEXT,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX uploads_by_tenant ON uploads (tenant_id);
  CREATE INDEX uploads_by_run ON uploads (run_id);
`;

/**
 * Size of the results, parameters, tags, statements and uploads of each tenant. Triggers keep the sums, so that they cannot
 * differ from the records, and reading one costs the same however many runs there are.
 */
const storedBytes = `
  CREATE TABLE stored_bytes (tenant_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TRIGGER stored_bytes_inserted AFTER INSERT ON runs WHEN new.stored_bytes <> 0 BEGIN
    INSERT INTO stored_bytes (tenant_id, bytes) VALUES (new.tenant_id, new.stored_bytes)
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER stored_bytes_changed AFTER UPDATE OF record ON runs WHEN new.stored_bytes <> old.stored_bytes BEGIN
    INSERT INTO stored_bytes (tenant_id, bytes) VALUES (new.tenant_id, new.stored_bytes - old.stored_bytes)
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER stored_bytes_deleted AFTER DELETE ON runs WHEN old.stored_bytes <> 0 BEGIN
    UPDATE stored_bytes SET bytes = bytes - old.stored_bytes WHERE tenant_id = old.tenant_id;
  END;
  CREATE TRIGGER stored_bytes_of_statement AFTER INSERT ON statements BEGIN
    INSERT INTO stored_bytes (tenant_id, bytes) VALUES (new.tenant_id, octet_length(new.record))
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER stored_bytes_of_deleted_statement AFTER DELETE ON statements BEGIN
    UPDATE stored_bytes SET bytes = bytes - octet_length(old.record) WHERE tenant_id = old.tenant_id;
  END;
  CREATE TRIGGER stored_bytes_of_upload AFTER INSERT ON uploads BEGIN
    INSERT INTO stored_bytes (tenant_id, bytes) VALUES (new.tenant_id, new.bytes)
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER stored_bytes_of_changed_upload AFTER UPDATE OF bytes ON uploads BEGIN
    UPDATE stored_bytes SET bytes = bytes + new.bytes - old.bytes WHERE tenant_id = new.tenant_id;
  END;
  CREATE TRIGGER stored_bytes_of_deleted_upload AFTER DELETE ON uploads BEGIN
    UPDATE stored_bytes SET bytes = bytes - old.bytes WHERE tenant_id = old.tenant_id;
  END;
`;

export const schema: string = records + runLists + tenantsAndKeys + uploads + storedBytes;
