import type { DatabaseSync } from "node:sqlite";
import type { ClaimedRun, Lease, RunCounts, SourceFilter, UnfinishedRuns } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import { prepareRecords } from "./records.ts";
import { executing, type RunRecords } from "./run-records.ts";

/** Queue of waiting runs, and leases of executing ones. The caller provides the transaction. */
export interface Queue {
  /** @param sources data sources whose runs may start. @default all */
  claim(lease: Lease, now: Instant, sources?: SourceFilter): ClaimedRun | undefined;
  renew(lease: Lease, runIds: readonly string[], now: Instant): string[];
}

// Selects the next run round-robin. Among the oldest waiting runs of each user it takes a run of the tenant that was
// served the longest ago; of that tenant, a run of the user who was served the longest ago. Tenants that execute as
// many runs as their cap are skipped. A cap in the settings of the tenant overrides the cap that was stored with the
// run, since the settings may have changed.
const next = `
  WITH waiting AS (
    SELECT tenant_id, user_id, min(created_at) AS oldest, id, max_running_runs FROM runs INDEXED BY runs_waiting
    WHERE state = 'QUERY_STATE_READY' AND (data_source_id IN (SELECT value FROM json_each(?))) = ?
    GROUP BY tenant_id, user_id
  )
  SELECT waiting.id FROM waiting
  LEFT JOIN tenants ON tenants.id = waiting.tenant_id
  LEFT JOIN turns AS tenant_turn ON tenant_turn.tenant_id = waiting.tenant_id AND tenant_turn.user_id = ''
  LEFT JOIN turns AS user_turn ON user_turn.tenant_id = waiting.tenant_id AND user_turn.user_id = waiting.user_id
  WHERE (
    iif(json_type(settings, '$.maxRunningRuns') IS NULL, max_running_runs, settings ->> 'maxRunningRuns') <=
    (SELECT count(*) FROM runs AS other WHERE other.tenant_id = waiting.tenant_id AND other.state IN ${executing})
  ) IS NOT TRUE
  ORDER BY coalesce(tenant_turn.turn, 0), coalesce(user_turn.turn, 0), oldest, waiting.id LIMIT 1`;

export function createQueue(database: DatabaseSync, runs: RunRecords): Queue {
  const records = prepareRecords(database, {
    next,
    lease: "UPDATE runs SET lease_owner = ?, lease_until = ? WHERE id = ?",
    turn: "INSERT INTO turns (tenant_id, user_id, turn) SELECT ?, ?, coalesce(max(turn), 0) + 1 FROM turns WHERE true ON CONFLICT DO UPDATE SET turn = excluded.turn",
    renew: `UPDATE runs SET lease_until = ? WHERE id = ? AND lease_owner = ? AND state IN ${executing}`,
  });
  return {
    claim({ owner, ms }, now, { names, isIncluded } = { names: [], isIncluded: false }) {
      const id = records.row("next", JSON.stringify(names), isIncluded ? 1 : 0)?.id;
      const run = id === undefined ? undefined : runs.run(String(id));
      const claimed = run && runs.apply(run, { type: "claimed" }, now);
      if (claimed?.accepted !== true) return undefined;
      records.run("lease", owner, now + ms, claimed.run.id);
      // Marks the tenant (a row with an empty user id) and the user as the last ones served.
      for (const userId of ["", claimed.run.userId]) records.run("turn", claimed.run.tenantId, userId);
      return { run: claimed.run, sql: runs.statementOf(claimed.run).sql };
    },
    renew: ({ owner, ms }, runIds, now) => runIds.filter((id) => records.run("renew", now + ms, id, owner) === 1),
  };
}

/** Ends all leases, for a server that has locked the data directory: no other process executes its runs. */
export function endLeases(database: DatabaseSync): void {
  database.exec(`UPDATE runs SET lease_until = 0 WHERE state IN ${executing}`);
}

/** Returns the owners of the leases of executing runs that have not ended. */
export function readLeaseOwners(database: DatabaseSync, now: Instant): readonly string[] {
  const owners = database.prepare(
    `SELECT DISTINCT lease_owner FROM runs WHERE state IN ${executing} AND lease_until > ?`,
  );
  return owners.all(now).map(({ lease_owner }) => String(lease_owner));
}

/** Prepares a function that counts the unfinished runs of a tenant by user. */
export function prepareUnfinishedRuns(database: DatabaseSync): (tenantId: string) => readonly UnfinishedRuns[] {
  const counts = database.prepare(`SELECT user_id, sum(running) AS running, sum(queued) AS queued FROM (
      SELECT user_id, 0 AS running, count(*) AS queued FROM runs INDEXED BY runs_waiting
      WHERE tenant_id = ?1 AND state = 'QUERY_STATE_READY' GROUP BY user_id
      UNION ALL
      SELECT user_id, count(*) AS running, 0 AS queued FROM runs INDEXED BY runs_executing
      WHERE tenant_id = ?1 AND state IN ${executing} GROUP BY user_id
    ) GROUP BY user_id ORDER BY user_id`);
  return (tenantId) =>
    counts.all(tenantId).map(({ user_id, running, queued }) => ({
      userId: String(user_id),
      running: Number(running),
      queued: Number(queued),
    }));
}

/** Prepares a function that counts the unfinished runs of all tenants. */
export function prepareRunCounts(database: DatabaseSync): () => RunCounts {
  // Partial indexes keep the queries fast, however many runs have ended; the first one reads no record of a run.
  const waiting = database.prepare(
    "SELECT count(*) AS n, min(created_at) AS oldest FROM runs INDEXED BY runs_waiting WHERE state = 'QUERY_STATE_READY'",
  );
  const byState = database.prepare(
    `SELECT state, count(*) AS n FROM runs INDEXED BY runs_executing WHERE state IN ${executing} GROUP BY state`,
  );
  return () => {
    const { n: ready = 0, oldest = null } = waiting.get() ?? {};
    const counts = new Map(byState.all().map(({ state, n }) => [state, Number(n)]));
    return {
      ready: Number(ready),
      running: counts.get("QUERY_STATE_RUNNING") ?? 0,
      streaming: counts.get("QUERY_STATE_STREAMING_RESULTS") ?? 0,
      oldestReadyAt: oldest === null ? null : Number(oldest),
    };
  };
}
