import type { ClaimedRun, Lease, ReclaimedRun } from "@quern/adapter";
import type { StatementRecord } from "@quern/query-run/record";
import { type RunEvent, transition } from "@quern/query-run/transition";
import { applyEvent } from "./changes.ts";
import { readClock } from "./clock.ts";
import type { Database, Queries } from "./database.ts";
import type { Note } from "./notices.ts";
import { executing, parsed, runColumns, saveRun, storedRun } from "./run-records.ts";

/** Cap on the executing runs of a tenant: that of its settings, or else the one stored with a run. */
const cap = (run: string): string =>
  `CASE WHEN tenants.settings ? 'maxRunningRuns' THEN (tenants.settings ->> 'maxRunningRuns')::integer ELSE ${run}.max_running_runs END`;

/** True for a tenant that executes fewer runs than its cap, and for one without a cap. */
const isBelowCap = (run: string, tenant: string): string => `
  coalesce(${cap(run)} > (SELECT count(*) FROM runs WHERE tenant_id = ${tenant} AND state IN ${executing}), true)`;

/** Reads the distinct values of a column of the waiting runs, by one probe of an index for each value. */
const distinct = (name: string, column: string, condition: string): string => `
  ${name} AS (
    (SELECT ${column} FROM runs WHERE ${condition} ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT runs.${column} FROM runs WHERE ${condition} AND runs.${column} > ${name}.${column}
      ORDER BY runs.${column} LIMIT 1)
    FROM ${name} WHERE ${name}.${column} IS NOT NULL
  )`;

// Locks the tenant that was served the longest ago, among those that have a waiting run and execute fewer runs than
// their cap. The lock is held until the claim is committed, so that claims of other servers count its runs.
const lockTenant = `
  WITH RECURSIVE ${distinct("waiting", "tenant_id", "state = 'QUERY_STATE_READY'")}
  SELECT queues.tenant_id FROM waiting JOIN queues USING (tenant_id)
  CROSS JOIN LATERAL (
    SELECT created_at, id, max_running_runs FROM runs
    WHERE state = 'QUERY_STATE_READY' AND tenant_id = queues.tenant_id ORDER BY created_at, id LIMIT 1
  ) AS oldest
  LEFT JOIN tenants ON tenants.id = queues.tenant_id
  WHERE queues.tenant_id <> ALL($1::text[]) AND ${isBelowCap("oldest", "queues.tenant_id")}
  ORDER BY queues.turn, oldest.created_at, oldest.id LIMIT 1 FOR UPDATE OF queues`;

// Selects the oldest run of the user who was served the longest ago. It is a statement of its own, so that it sees what
// was committed before the tenant was locked.
const nextRun = `
  WITH RECURSIVE ${distinct("waiting", "user_id", "state = 'QUERY_STATE_READY' AND tenant_id = $1")},
  next AS MATERIALIZED (
    SELECT oldest.id FROM waiting CROSS JOIN LATERAL (
      SELECT created_at, id, max_running_runs FROM runs
      WHERE state = 'QUERY_STATE_READY' AND tenant_id = $1 AND user_id = waiting.user_id ORDER BY created_at, id LIMIT 1
    ) AS oldest
    LEFT JOIN turns ON turns.tenant_id = $1 AND turns.user_id = waiting.user_id
    LEFT JOIN tenants ON tenants.id = $1
    WHERE ${isBelowCap("oldest", "$1")}
    ORDER BY coalesce(turns.turn, 0), oldest.created_at, oldest.id LIMIT 1
  )
  SELECT ${runColumns}, statements.record AS statement, now_ms() AS now FROM next JOIN runs ON runs.id = next.id
  JOIN statements ON statements.tenant_id = runs.tenant_id AND statements.id = runs.sql_statement_id`;

const served = `
  WITH next AS (SELECT nextval('turn') AS turn),
  tenant AS (UPDATE queues SET turn = next.turn FROM next WHERE tenant_id = $1)
  INSERT INTO turns (tenant_id, user_id, turn) SELECT $1, $2, turn FROM next
  ON CONFLICT (tenant_id, user_id) DO UPDATE SET turn = excluded.turn`;

/**
 * Claims up to a run for each lease, in one transaction, and locks no tenant that another server has locked while it has
 * locks of its own. Fewer runs are returned if no more may start.
 */
export async function claimRuns(queries: Queries, leases: readonly Lease[]): Promise<readonly ClaimedRun[]> {
  const claimed: ClaimedRun[] = [];
  // Tenants whose waiting runs were claimed or withdrawn by others before the tenant was locked.
  const passed: string[] = [];
  while (claimed.length < leases.length) {
    const tenantId = await nextTenant(queries, passed, claimed.length === 0);
    const lease = leases[claimed.length];
    if (tenantId === undefined || lease === undefined) break;
    const run = await claimOf(queries, tenantId, lease);
    if (run === undefined) passed.push(tenantId);
    else claimed.push(run);
  }
  return claimed;
}

/** Locks the next tenant. It waits for a lock of another server only if no other tenant can be served. */
async function nextTenant(queries: Queries, passed: readonly string[], mayWait: boolean): Promise<string | undefined> {
  const [free] = await queries.rows(`${lockTenant} SKIP LOCKED`, passed);
  const [row] = free === undefined && mayWait ? await queries.rows(lockTenant, passed) : [free];
  return row && String(row.tenant_id);
}

/** Claims the next run of a tenant, which is locked. A run that a call changes meanwhile is read again. */
async function claimOf(queries: Queries, tenantId: string, { owner, ms }: Lease): Promise<ClaimedRun | undefined> {
  for (;;) {
    const [row] = await queries.rows(nextRun, tenantId);
    if (row === undefined) return undefined;
    const before = storedRun(row);
    const now = Number(row.now);
    const next = transition(before.run, { type: "claimed" }, now);
    if (!next.accepted || !(await saveRun(queries, before, next.run, { owner, until: now + ms }))) continue;
    await queries.rows(served, tenantId, before.run.userId);
    return { run: next.run, sql: parsed<StatementRecord>(row.statement).sql };
  }
}

/** Renews leases. Returns the ids of the runs that the owner still has. */
export async function renew(database: Database, { owner, ms }: Lease, runIds: readonly string[]): Promise<string[]> {
  if (runIds.length === 0) return [];
  const renewed = await database.rows(
    `UPDATE runs SET lease_until = now_ms() + $3 WHERE id = ANY($1::text[]) AND lease_owner = $2
      AND state IN ${executing} RETURNING id`,
    runIds,
    owner,
    ms,
  );
  const ids = new Set(renewed.map(({ id }) => id));
  return runIds.filter((id) => ids.has(id));
}

// After a restart of PostgreSQL, owners get the time to renew their leases.
const lost = `
  SELECT ${runColumns} FROM runs WHERE state IN ${executing} AND coalesce(lease_until, 0) <= now_ms()
    AND id <> ALL($1::text[]) AND pg_postmaster_start_time() <= clock_timestamp() - $2 * interval '1 ms'
  ORDER BY id FOR UPDATE SKIP LOCKED`;

/** Lost runs to reclaim, as for `reclaim` of `RunStore`. */
export interface Reclaim {
  readonly reason: string;
  readonly working: readonly string[];
  readonly isCounted: boolean;
  /** Milliseconds since the start of PostgreSQL before which no run is reclaimed. */
  readonly delayMs: number;
}

/** Reclaims the runs whose lease has expired. Of several servers that do so at the same time, each gets other runs. */
export async function reclaim(
  queries: Queries,
  note: Note,
  { reason, working, isCounted, delayMs }: Reclaim,
): Promise<readonly ReclaimedRun[]> {
  const found = await queries.rows(lost, working, delayMs);
  if (found.length === 0) return [];
  const now = await readClock(queries);
  const reclaimed: ReclaimedRun[] = [];
  for (const before of found.map(storedRun)) {
    const { attempt } = before.run;
    const event: RunEvent = isCounted ? { type: "workerLost", attempt, reason } : { type: "released", attempt };
    const next = await applyEvent(queries, note, before, event, now);
    if (next.accepted) reclaimed.push({ lost: before.run, run: next.run });
  }
  return reclaimed;
}
