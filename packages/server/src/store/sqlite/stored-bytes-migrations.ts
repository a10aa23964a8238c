/**
 * Adds `stored_bytes`, the size of the results of each tenant that are not archived. Triggers keep the sums, so that
 * they cannot differ from the records, and reading one costs the same however many runs there are.
 */
export const storedBytes = `
  CREATE TABLE stored_bytes (
    tenant_id TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO stored_bytes (tenant_id, bytes)
    SELECT tenant_id, coalesce(sum(record ->> '$.result.totalBytes'), 0) FROM runs
    WHERE state = 'QUERY_STATE_SUCCESS' AND archived_at IS NULL GROUP BY tenant_id;

  CREATE TRIGGER stored_bytes_inserted AFTER INSERT ON runs
  WHEN new.state = 'QUERY_STATE_SUCCESS' AND new.archived_at IS NULL BEGIN
    INSERT INTO stored_bytes (tenant_id, bytes) VALUES (new.tenant_id, new.record ->> '$.result.totalBytes')
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER stored_bytes_committed AFTER UPDATE OF record ON runs
  WHEN new.state = 'QUERY_STATE_SUCCESS' AND old.state <> 'QUERY_STATE_SUCCESS' BEGIN
    INSERT INTO stored_bytes (tenant_id, bytes) VALUES (new.tenant_id, new.record ->> '$.result.totalBytes')
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER stored_bytes_archived AFTER UPDATE OF record ON runs
  WHEN old.state = 'QUERY_STATE_SUCCESS' AND old.archived_at IS NULL AND new.archived_at IS NOT NULL BEGIN
    UPDATE stored_bytes SET bytes = bytes - (old.record ->> '$.result.totalBytes') WHERE tenant_id = old.tenant_id;
  END;
  CREATE TRIGGER stored_bytes_deleted AFTER DELETE ON runs
  WHEN old.state = 'QUERY_STATE_SUCCESS' AND old.archived_at IS NULL BEGIN
    UPDATE stored_bytes SET bytes = bytes - (old.record ->> '$.result.totalBytes') WHERE tenant_id = old.tenant_id;
  END;
`;

/**
 * Adds the data source to the index of waiting runs, since a claim may start the runs of some sources only. Counts
 * statements, parameters and tags in `stored_bytes`, too, so that failed runs cannot fill the store.
 */
export const queuesOfSources = `
  DROP INDEX runs_waiting;
  CREATE INDEX runs_waiting ON runs (tenant_id, user_id, created_at, id, max_running_runs, data_source_id)
    WHERE state = 'QUERY_STATE_READY';

  ALTER TABLE runs ADD COLUMN stored_bytes INTEGER GENERATED ALWAYS AS (
    iif(state = 'QUERY_STATE_SUCCESS' AND archived_at IS NULL, record ->> '$.result.totalBytes', 0)
    + coalesce(octet_length(nullif(record -> '$.parameters', 'null')), 0)
    + coalesce(octet_length(nullif(record -> '$.tags', '{}')), 0)
  ) VIRTUAL;
  DROP TRIGGER stored_bytes_inserted;
  DROP TRIGGER stored_bytes_committed;
  DROP TRIGGER stored_bytes_archived;
  DROP TRIGGER stored_bytes_deleted;
  DELETE FROM stored_bytes;
  INSERT INTO stored_bytes (tenant_id, bytes)
    SELECT tenant_id, sum(bytes) FROM (
      SELECT tenant_id, stored_bytes AS bytes FROM runs
      UNION ALL SELECT tenant_id, octet_length(record) FROM statements
    ) GROUP BY tenant_id;

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
`;
