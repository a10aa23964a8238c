import type { DatabaseSync } from "node:sqlite";
import type { ClaimedRun, Lease, ReclaimedRun } from "@quern/adapter";
import type { Instant, RunRecord } from "@quern/query-run/record";
import { prepareRecords } from "./records.ts";
import type { RunRecords } from "./run-records.ts";
import { executing } from "./states.ts";

/** The runs that wait and those that execute, within a transaction of the caller. */
export interface Queue {
  claim(lease: Lease, now: Instant): ClaimedRun | undefined;
  renew(lease: Lease, runIds: readonly string[], now: Instant): string[];
  reclaim(reason: string, working: readonly string[], now: Instant): ReclaimedRun[];
}

// The oldest run of each user who waits; whose turn is the longest ago comes first, the tenant's before the user's. A cap
// that the tenant has of its own is asked for anew: it may have changed while the run waited.
const next = `
  WITH waiting AS (
    SELECT tenant_id, user_id, min(created_at) AS oldest, id, max_running_runs FROM runs
    WHERE state = 'QUERY_STATE_READY' GROUP BY tenant_id, user_id
  )
  SELECT waiting.id FROM waiting
  LEFT JOIN tenants ON tenants.id = waiting.tenant_id
  LEFT JOIN turns AS of_tenant ON of_tenant.tenant_id = waiting.tenant_id AND of_tenant.user_id = ''
  LEFT JOIN turns AS of_user ON of_user.tenant_id = waiting.tenant_id AND of_user.user_id = waiting.user_id
  WHERE (
    iif(json_type(settings, '$.maxRunningRuns') IS NULL, max_running_runs, settings ->> 'maxRunningRuns') <=
    (SELECT count(*) FROM runs AS other WHERE other.tenant_id = waiting.tenant_id AND other.state IN ${executing})
  ) IS NOT TRUE
  ORDER BY coalesce(of_tenant.turn, 0), coalesce(of_user.turn, 0), oldest, waiting.id LIMIT 1`;

export function createQueue(database: DatabaseSync, runs: RunRecords): Queue {
  const records = prepareRecords(database, {
    next,
    lease: "UPDATE runs SET lease_owner = ?, lease_until = ? WHERE id = ?",
    turn: "INSERT INTO turns (tenant_id, user_id, turn) SELECT ?, ?, coalesce(max(turn), 0) + 1 FROM turns WHERE true ON CONFLICT DO UPDATE SET turn = excluded.turn",
    renew: `UPDATE runs SET lease_until = ? WHERE id = ? AND lease_owner = ? AND state IN ${executing}`,
    lost: `SELECT record FROM runs WHERE state IN ${executing} AND coalesce(lease_until, 0) <= ?
      AND id NOT IN (SELECT value FROM json_each(?))`,
  });
  return {
    claim({ owner, ms }, now) {
      const id = records.row("next")?.id;
      const run = id === undefined ? undefined : runs.run(String(id));
      const claimed = run && runs.apply(run, { type: "claimed" }, now);
      if (claimed?.accepted !== true) return undefined;
      records.run("lease", owner, now + ms, claimed.run.id);
      for (const userId of ["", claimed.run.userId]) records.run("turn", claimed.run.tenantId, userId);
      return { run: claimed.run, sql: runs.statementOf(claimed.run).sql };
    },
    renew: ({ owner, ms }, runIds, now) => runIds.filter((id) => records.run("renew", now + ms, id, owner) === 1),
    reclaim: (reason, working, now) =>
      records.all<RunRecord>("lost", now, JSON.stringify(working)).flatMap((lost) => {
        const reclaimed = runs.apply(lost, { type: "workerLost", attempt: lost.attempt, reason }, now);
        return reclaimed.accepted ? [{ lost, run: reclaimed.run }] : [];
      }),
  };
}

/** Ends all leases, for a server that has the file alone: nobody works on what an earlier one has begun. */
export function endLeases(database: DatabaseSync): void {
  database.exec(`UPDATE runs SET lease_until = 0 WHERE state IN ${executing}`);
}
