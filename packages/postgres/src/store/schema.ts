import { claimFunction } from "./claim-function.ts";

/**
 * Runs, requests and statements are JSON records, written by this package only. Columns repeat the members that queries
 * search. JSON is stored as text: `jsonb` would change the order of members and refuse some strings. The parameters of a
 * run are apart, since lists omit them. Texts compare by their bytes, so that an index does not depend on the locale.
 */
const records = `
  CREATE TABLE statements (
    id text COLLATE "C" NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL,
    record text NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, hash)
  );

  CREATE TABLE runs (
    id text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL DEFAULT 1,
    tenant_id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    reuse_key text COLLATE "C" NOT NULL,
    sql_statement_id text COLLATE "C" NOT NULL,
    data_source_id text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    attempt integer NOT NULL,
    created_at bigint NOT NULL,
    ended_at bigint,
    expires_at bigint,
    archived_at bigint,
    stored_bytes bigint NOT NULL DEFAULT 0,
    max_running_runs integer,
    shareable boolean NOT NULL,
    lease_owner text COLLATE "C",
    lease_until bigint,
    noticed_at bigint,
    tags bytea[] NOT NULL,
    record text NOT NULL,
    parameters text
  );
  CREATE UNIQUE INDEX runs_shared ON runs (reuse_key)
    WHERE shareable AND state IN ('QUERY_STATE_READY', 'QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS');
  CREATE INDEX runs_under_way ON runs (reuse_key, shareable)
    WHERE state IN ('QUERY_STATE_READY', 'QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS');
  CREATE INDEX runs_reusable ON runs (reuse_key, ended_at)
    WHERE state = 'QUERY_STATE_SUCCESS' AND archived_at IS NULL;
  CREATE INDEX runs_executing ON runs (tenant_id)
    WHERE state IN ('QUERY_STATE_RUNNING', 'QUERY_STATE_STREAMING_RESULTS');
  CREATE INDEX runs_waiting ON runs (tenant_id, user_id, created_at, id) WHERE state = 'QUERY_STATE_READY';
  CREATE INDEX runs_by_tenant ON runs (tenant_id, created_at, id);
  CREATE INDEX runs_by_state ON runs (tenant_id, state, created_at, id);
  CREATE INDEX runs_by_source ON runs (tenant_id, data_source_id, created_at, id);
  CREATE INDEX runs_by_statement ON runs (tenant_id, sql_statement_id);
  CREATE INDEX runs_by_expiry ON runs (expires_at) WHERE archived_at IS NULL AND expires_at IS NOT NULL;
  CREATE INDEX runs_by_end ON runs (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX runs_by_notice ON runs (noticed_at);

  CREATE TABLE requests (
    id text COLLATE "C" PRIMARY KEY,
    nth bigint GENERATED ALWAYS AS IDENTITY,
    run_id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    sql_statement_id text COLLATE "C" NOT NULL,
    api_key_id text COLLATE "C",
    created_at bigint NOT NULL,
    withdrawn_at bigint,
    record text NOT NULL
  );
  CREATE INDEX requests_by_run ON requests (run_id);
  CREATE INDEX requests_by_statement ON requests (sql_statement_id, user_id, created_at, nth);

  CREATE TABLE requested_runs (
    tenant_id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, user_id, created_at, id)
  );

  CREATE TABLE run_tags (
    tenant_id text COLLATE "C" NOT NULL,
    tag bytea NOT NULL,
    created_at bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, tag, created_at, id)
  );

  -- A key without a request was withdrawn before its call arrived.
  CREATE TABLE idempotency_keys (
    api_key_id text COLLATE "C" NOT NULL,
    key bytea NOT NULL,
    body_hash text,
    request_id text COLLATE "C" REFERENCES requests ON DELETE CASCADE,
    created_at bigint NOT NULL,
    PRIMARY KEY (api_key_id, key)
  );
  CREATE INDEX idempotency_keys_by_request ON idempotency_keys (request_id) WHERE request_id IS NOT NULL;
  CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at) WHERE request_id IS NULL;
`;

/**
 * `queues` has a row for each tenant; new tenants come before all that were served. A claim of a run of the tenant locks
 * the row, and sets `turn`, which orders the tenants by the time at which they were served. `turns` does the latter for
 * the users of a tenant.
 */
const queue = `
  CREATE SEQUENCE turn;
  CREATE TABLE queues (
    tenant_id text COLLATE "C" PRIMARY KEY,
    turn bigint NOT NULL DEFAULT nextval('turn') - 4611686018427387904
  ) WITH (fillfactor = 50);
  CREATE TABLE turns (
    tenant_id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    turn bigint NOT NULL,
    PRIMARY KEY (tenant_id, user_id)
  ) WITH (fillfactor = 50);
`;

const tenantsAndKeys = `
  CREATE TABLE tenants (
    id text COLLATE "C" PRIMARY KEY,
    created_at bigint NOT NULL,
    settings jsonb NOT NULL
  );

  CREATE TABLE usage (
    tenant_id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    month text COLLATE "C" NOT NULL,
    exec_ms bigint NOT NULL,
    runs bigint NOT NULL,
    rows bigint NOT NULL,
    bytes_read bigint NOT NULL,
    PRIMARY KEY (month, tenant_id, user_id)
  );

  CREATE TABLE keys (
    id text COLLATE "C" PRIMARY KEY,
    hash bytea NOT NULL UNIQUE,
    last_four text NOT NULL,
    origin text NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    scopes text[] NOT NULL,
    sources text[],
    origins text[],
    networks text[],
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    replaced boolean NOT NULL DEFAULT false,
    last_used_at bigint
  );

  CREATE TABLE settings (name text COLLATE "C" PRIMARY KEY, value text NOT NULL);

  CREATE TABLE used_links (id text COLLATE "C" PRIMARY KEY, expires_at bigint NOT NULL);
  CREATE INDEX used_links_by_expiry ON used_links (expires_at);
  CREATE TABLE link_views (id text COLLATE "C" PRIMARY KEY, text text NOT NULL, expires_at bigint NOT NULL);
  CREATE INDEX link_views_by_expiry ON link_views (expires_at);
`;

/** Uploads, without their files. One without a hash has no complete file, and counts with its maximum size. */
const uploads = `
  CREATE TABLE uploads (
    id text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    format text COLLATE "C" NOT NULL,
    stored_bytes bigint NOT NULL,
    sha256 text COLLATE "C",
    run_id text COLLATE "C",
    expires_at bigint NOT NULL
  );
  CREATE INDEX uploads_by_tenant ON uploads (tenant_id);
  CREATE INDEX uploads_by_run ON uploads (run_id);
`;

/** Limits that all servers share. Buckets are not durable: after a crash of PostgreSQL they are full. */
const sharedLimits = `
  CREATE UNLOGGED TABLE rate_buckets (
    key text COLLATE "C" PRIMARY KEY,
    full_at double precision NOT NULL,
    wait_ms double precision NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE leases (
    name text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (name, owner)
  );
`;

/** Clocks in milliseconds, and `stored_bytes`, the size of the records and results of each tenant, which triggers keep. */
const functions = `
  CREATE FUNCTION real_ms() RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
  -- The clock of the store. Tests replace it.
  CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

  CREATE TABLE stored_bytes (
    tenant_id text COLLATE "C" PRIMARY KEY,
    bytes bigint NOT NULL
  ) WITH (fillfactor = 50);
  CREATE FUNCTION count_stored_bytes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    IF TG_OP <> 'INSERT' AND old.stored_bytes <> 0 THEN
      UPDATE stored_bytes SET bytes = bytes - old.stored_bytes WHERE tenant_id = old.tenant_id;
    END IF;
    IF TG_OP <> 'DELETE' AND new.stored_bytes <> 0 THEN
      INSERT INTO stored_bytes AS sums (tenant_id, bytes) VALUES (new.tenant_id, new.stored_bytes)
        ON CONFLICT (tenant_id) DO UPDATE SET bytes = sums.bytes + excluded.bytes;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER stored_bytes_inserted AFTER INSERT ON runs FOR EACH ROW
    WHEN (new.stored_bytes <> 0) EXECUTE FUNCTION count_stored_bytes();
  CREATE TRIGGER stored_bytes_changed AFTER UPDATE OF stored_bytes ON runs FOR EACH ROW
    WHEN (old.stored_bytes <> new.stored_bytes) EXECUTE FUNCTION count_stored_bytes();
  CREATE TRIGGER stored_bytes_deleted AFTER DELETE ON runs FOR EACH ROW
    WHEN (old.stored_bytes <> 0) EXECUTE FUNCTION count_stored_bytes();
  CREATE TRIGGER stored_bytes_of_upload AFTER INSERT OR DELETE OR UPDATE OF stored_bytes ON uploads FOR EACH ROW
    EXECUTE FUNCTION count_stored_bytes();
`;

/** Counts the statements of each tenant in `stored_bytes`. */
const storedStatements = `
  CREATE FUNCTION count_stored_statement() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      UPDATE stored_bytes SET bytes = bytes - octet_length(old.record) WHERE tenant_id = old.tenant_id;
    ELSE
      INSERT INTO stored_bytes AS sums (tenant_id, bytes) VALUES (new.tenant_id, octet_length(new.record))
        ON CONFLICT (tenant_id) DO UPDATE SET bytes = sums.bytes + excluded.bytes;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER stored_statement AFTER INSERT OR DELETE ON statements FOR EACH ROW
    EXECUTE FUNCTION count_stored_statement();
`;

export const schema: string =
  records + queue + tenantsAndKeys + uploads + sharedLimits + functions + storedStatements + claimFunction;
