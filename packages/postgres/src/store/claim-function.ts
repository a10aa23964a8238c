import { executing } from "./run-records.ts";

/** Cap on the executing runs of a tenant: that of its settings, or else the one stored with a run. */
const cap = `CASE WHEN tenants.settings ? 'maxRunningRuns' THEN (tenants.settings ->> 'maxRunningRuns')::integer
  ELSE oldest.max_running_runs END`;

/** True for a tenant that executes fewer runs than its cap, with those that were chosen, and for one without a cap. */
const isBelowCap = (tenant: string): string => `
  coalesce(${cap} > (SELECT count(*) FROM runs WHERE tenant_id = ${tenant} AND state IN ${executing})
    + (SELECT count(*) FROM unnest(tenants_chosen) AS each WHERE each = ${tenant}), true)`;

/** Reads the distinct values of a column of the waiting runs, by one probe of an index for each value. */
const distinct = (column: string, condition: string): string => `
  waiting (value) AS (
    (SELECT ${column} FROM runs WHERE ${condition} ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT runs.${column} FROM runs WHERE ${condition} AND runs.${column} > waiting.value
      ORDER BY runs.${column} LIMIT 1)
    FROM waiting WHERE waiting.value IS NOT NULL
  )`;

// Locks the tenant that was served the longest ago, among those that have a waiting run and execute fewer runs than
// their cap. The lock is held until the claim is committed, so that claims of other servers count its runs.
const lockTenant = `
  WITH RECURSIVE ${distinct("tenant_id", "state = 'QUERY_STATE_READY'")}
  SELECT queues.tenant_id FROM waiting JOIN queues ON queues.tenant_id = waiting.value
  CROSS JOIN LATERAL (
    SELECT max_running_runs FROM runs
    WHERE state = 'QUERY_STATE_READY' AND tenant_id = queues.tenant_id AND runs.id <> ALL(chosen) LIMIT 1
  ) AS oldest
  LEFT JOIN tenants ON tenants.id = queues.tenant_id
  WHERE queues.tenant_id <> ALL(passed) AND ${isBelowCap("queues.tenant_id")}
  ORDER BY queues.turn LIMIT 1 FOR UPDATE OF queues`;

// Selects the oldest run of the user who was served the longest ago.
const nextRun = `
  WITH RECURSIVE ${distinct("user_id", "state = 'QUERY_STATE_READY' AND tenant_id = tenant")}
  SELECT oldest.id, waiting.value AS user_id INTO next FROM waiting CROSS JOIN LATERAL (
    SELECT runs.created_at, runs.id, max_running_runs FROM runs
    WHERE state = 'QUERY_STATE_READY' AND tenant_id = tenant AND user_id = waiting.value AND runs.id <> ALL(chosen)
    ORDER BY runs.created_at, runs.id LIMIT 1
  ) AS oldest
  LEFT JOIN turns ON turns.tenant_id = tenant AND turns.user_id = waiting.value
  LEFT JOIN tenants ON tenants.id = tenant
  WHERE ${isBelowCap("tenant")}
  ORDER BY coalesce(turns.turn, 0), oldest.created_at, oldest.id LIMIT 1`;

/**
 * Creates the function that chooses runs to claim: up to `places`, round-robin over tenants and users, within the caps.
 * It locks their tenants. It waits for a lock of another server only if it has none and no other tenant can be served.
 * It makes plans that read the indexes in their order, whatever PostgreSQL knows of the sizes, which change quickly.
 * Each of its statements sees what was committed before it, so also what the last owner of a lock has claimed.
 */
export const claimFunction = `
  CREATE FUNCTION next_runs(places integer) RETURNS SETOF text LANGUAGE plpgsql VOLATILE ROWS 1
  SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off AS $$
  DECLARE
    chosen text[] := '{}';
    tenants_chosen text[] := '{}';
    -- Tenants whose waiting runs were claimed or withdrawn by others before the tenant was locked.
    passed text[] := '{}';
    tenant text;
    next record;
    next_turn bigint;
  BEGIN
    WHILE cardinality(chosen) < places LOOP
      tenant := (${lockTenant} SKIP LOCKED);
      IF tenant IS NULL AND cardinality(chosen) = 0 THEN
        tenant := (${lockTenant});
      END IF;
      EXIT WHEN tenant IS NULL;
      ${nextRun};
      IF NOT FOUND THEN
        passed := passed || tenant;
        CONTINUE;
      END IF;
      chosen := chosen || next.id;
      tenants_chosen := tenants_chosen || tenant;
      next_turn := nextval('turn');
      UPDATE queues SET turn = next_turn WHERE tenant_id = tenant;
      INSERT INTO turns (tenant_id, user_id, turn) VALUES (tenant, next.user_id, next_turn)
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET turn = excluded.turn;
      RETURN NEXT next.id;
    END LOOP;
  END $$;
`;
