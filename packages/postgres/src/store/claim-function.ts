import { executing } from "./run-records.ts";

/** Reads the distinct values of a column of the waiting runs, by one probe of an index for each value. */
const distinct = (column: string, condition: string): string => `
  waiting (value) AS (
    (SELECT ${column} FROM runs WHERE ${condition} ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT runs.${column} FROM runs WHERE ${condition} AND runs.${column} > waiting.value
      ORDER BY runs.${column} LIMIT 1)
    FROM waiting WHERE waiting.value IS NOT NULL
  )`;

const isWaiting = "state = 'QUERY_STATE_READY' AND (data_source_id = ANY(names)) = is_included";

const runningOf = (tenant: string): string =>
  `(SELECT count(*) FROM runs WHERE tenant_id = ${tenant} AND state IN ${executing})`;

/** Cap on the executing runs of a tenant: that of its settings, or else the one stored with a run. Null is no cap. */
const capOf = (run: string): string => `
  CASE WHEN tenants.settings ? 'maxRunningRuns' THEN (tenants.settings ->> 'maxRunningRuns')::integer
  ELSE ${run}.max_running_runs END`;

// Tenants that have a waiting run and execute fewer runs than their cap.
const eligibleTenants = `
  WITH RECURSIVE ${distinct("tenant_id", isWaiting)}
  SELECT array_agg(waiting.value) FROM waiting JOIN queues ON queues.tenant_id = waiting.value
  CROSS JOIN LATERAL (
    SELECT max_running_runs FROM runs WHERE ${isWaiting} AND tenant_id = waiting.value
    ORDER BY user_id, created_at, runs.id LIMIT 1
  ) AS run
  LEFT JOIN tenants ON tenants.id = waiting.value
  WHERE coalesce(${capOf("run")} > ${runningOf("waiting.value")}, true)`;

// Waiting runs of the locked tenants, each tenant's numbered in the order in which it is served: in each round, one run of
// each user, first of the one who was served the longest ago. Each user has a run, so of a user at most as many runs are
// read as the others leave over.
const candidates = `
  SELECT queues.tenant_id, queues.turn, own.user_id, own.id, ${capOf("own")} AS cap, running.n AS running,
    row_number() OVER (PARTITION BY queues.tenant_id ORDER BY own.round, own.turn, own.oldest, own.oldest_id) AS nth
  FROM queues
  CROSS JOIN LATERAL ${runningOf("queues.tenant_id")} AS running (n)
  LEFT JOIN tenants ON tenants.id = queues.tenant_id
  CROSS JOIN LATERAL (
    WITH RECURSIVE ${distinct("user_id", `${isWaiting} AND tenant_id = queues.tenant_id`)}
    SELECT users.value AS user_id, coalesce(turns.turn, 0) AS turn, run.id, run.max_running_runs,
      row_number() OVER by_time AS round, first_value(run.created_at) OVER by_time AS oldest,
      first_value(run.id) OVER by_time AS oldest_id
    FROM (SELECT value, count(*) OVER () AS n FROM waiting WHERE value IS NOT NULL) AS users
    CROSS JOIN LATERAL (
      SELECT runs.id, runs.created_at, max_running_runs FROM runs
      WHERE ${isWaiting} AND tenant_id = queues.tenant_id AND user_id = users.value
      ORDER BY runs.created_at, runs.id LIMIT greatest(most - users.n + 1, 1)
    ) AS run
    LEFT JOIN turns ON turns.tenant_id = queues.tenant_id AND turns.user_id = users.value
    WINDOW by_time AS (PARTITION BY users.value ORDER BY run.created_at, run.id)
  ) AS own
  WHERE queues.tenant_id = ANY(locked) AND coalesce(${capOf("own")} > running.n, true)`;

/**
 * Function that chooses runs to claim: up to `slots`, round-robin over tenants and users, within the caps, among the
 * runs of some data sources: those of `names`, or all others.
 * After the last run it returns a null if no others may start, not even runs of tenants that other servers have locked.
 * It locks the tenants of the runs until the claim is committed, so that claims of other servers count its runs. It waits
 * for a lock of another server only if it has none and no other tenant can be served. Each of its statements has a new snapshot (READ COMMITTED), so it sees the claims of the previous owner of a lock.
 * The planner settings force index scans in index order, because table statistics go stale quickly.
 */
export const claimFunction = `
  CREATE FUNCTION next_runs(slots integer, names text[], is_included boolean)
  RETURNS SETOF text LANGUAGE plpgsql VOLATILE ROWS 1
  SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off AS $$
  DECLARE
    eligible text[];
    locked text[];
    -- Maximum number of runs of a tenant, if each of the others has one.
    most integer;
    chosen text[];
    candidate_count bigint;
  BEGIN
    FOR pass IN 1..2 LOOP
      eligible := (${eligibleTenants});
      IF eligible IS NULL THEN
        RETURN NEXT NULL;
        RETURN;
      END IF;
      locked := ARRAY(
        SELECT tenant_id FROM queues WHERE tenant_id = ANY(eligible) ORDER BY turn LIMIT slots FOR UPDATE SKIP LOCKED);
      EXIT WHEN cardinality(locked) > 0;
      -- A second wait, with a lock, could be a deadlock.
      IF pass = 2 THEN
        RETURN;
      END IF;
      PERFORM FROM queues WHERE tenant_id = ANY(eligible) ORDER BY turn LIMIT 1 FOR UPDATE;
    END LOOP;
    most := slots - cardinality(locked) + 1;
    WITH candidates AS (${candidates}),
    first AS (
      SELECT tenant_id, user_id, id FROM candidates WHERE coalesce(cap > running + nth - 1, true)
      ORDER BY nth, turn LIMIT slots
    ),
    served AS (SELECT *, nextval('turn') AS turn FROM first),
    tenant_turns AS (
      UPDATE queues SET turn = latest.turn
      FROM (SELECT tenant_id, max(turn) AS turn FROM served GROUP BY tenant_id) AS latest
      WHERE queues.tenant_id = latest.tenant_id
    ),
    user_turns AS (
      INSERT INTO turns (tenant_id, user_id, turn)
      SELECT tenant_id, user_id, max(turn) FROM served GROUP BY tenant_id, user_id
      ON CONFLICT (tenant_id, user_id) DO UPDATE SET turn = excluded.turn
    )
    SELECT coalesce(array_agg(id ORDER BY turn), '{}'), (SELECT count(*) FROM candidates)
    INTO chosen, candidate_count FROM served;
    RETURN QUERY SELECT unnest(chosen);
    -- A tenant with fewer candidates than it may have runs has no others.
    IF cardinality(locked) = cardinality(eligible) AND cardinality(chosen) = candidate_count
      AND candidate_count < most THEN
      RETURN NEXT NULL;
    END IF;
  END $$;
`;
