import type { ClaimedRun, Lease, ReclaimedRun, SourceFilter } from "@quern/adapter";
import type { StatementRecord } from "@quern/query-run/record";
import { lossOf, transition } from "@quern/query-run/transition";
import { applyEvent } from "./changes.ts";
import { readClock } from "./clock.ts";
import type { Database, Queries, Transaction } from "./database.ts";
import type { AddNotice } from "./notices.ts";
import { executing, parsed, recordText, runColumns, storedRun } from "./run-records.ts";

const chosenRuns = `
  SELECT chosen.id AS chosen_id, ${runColumns}, statements.record AS statement, now_ms() AS now
  FROM next_runs($1, $2, $3) WITH ORDINALITY AS chosen (id, nth) LEFT JOIN runs ON runs.id = chosen.id
  LEFT JOIN statements ON statements.tenant_id = runs.tenant_id AND statements.id = runs.sql_statement_id
  ORDER BY nth`;

const claim = `
  UPDATE runs SET version = runs.version + 1, record = claimed.record, state = claimed.state, attempt = claimed.attempt,
    lease_owner = claimed.owner, lease_until = claimed.until
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::bigint[])
    AS claimed (id, version, record, state, attempt, owner, until)
  WHERE runs.id = claimed.id AND runs.version = claimed.version RETURNING runs.id`;

/** Runs that a call of {@link claimRuns} has claimed. */
export interface Claims {
  readonly runs: readonly ClaimedRun[];
  /** True if no more runs can be claimed for now. */
  readonly isEmpty: boolean;
}

/**
 * Claims up to a run for each lease. Fewer are claimed if no more may start, if other servers have locked their tenants,
 * or if a call changes a run meanwhile.
 */
export async function claimRuns(
  queries: Transaction,
  leases: readonly Lease[],
  { names, isIncluded }: SourceFilter,
): Promise<Claims> {
  const rows = await queries.rows(chosenRuns, leases.length, names, isIncluded);
  // A row without an id says that no other run may start. A run without a record was created after this statement began;
  // the next one sees it.
  const found = rows.filter(({ chosen_id }) => chosen_id !== null);
  const chosen = found.filter(({ record }) => record !== null);
  const claims = chosen.flatMap((row, index) => {
    const { run, version } = storedRun(row);
    const { owner, ms } = leases[index] ?? { owner: "", ms: 0 };
    const next = transition(run, { type: "claimed" }, Number(row.now));
    const sql = parsed<StatementRecord>(row.statement).sql;
    return next.accepted ? [{ run: next.run, sql, version, owner, until: Number(row.now) + ms }] : [];
  });
  const isLast = found.length < rows.length;
  if (chosen.length === 0) {
    queries.rollback();
    return { runs: [], isEmpty: isLast && found.length === 0 };
  }
  const changed = await queries.lastRows(
    claim,
    claims.map(({ run }) => run.id),
    claims.map(({ version }) => version),
    claims.map(({ run }) => recordText(run)),
    claims.map(({ run }) => run.state),
    claims.map(({ run }) => run.attempt),
    claims.map(({ owner }) => owner),
    claims.map(({ until }) => until),
  );
  const ids = new Set(changed.map(({ id }) => id));
  const runs = claims.filter(({ run }) => ids.has(run.id)).map(({ run, sql }) => ({ run, sql }));
  return { runs, isEmpty: isLast && runs.length === found.length };
}

/** Renews leases. Returns the ids of the runs that the owner still has. */
export async function renew(database: Database, { owner, ms }: Lease, runIds: readonly string[]): Promise<string[]> {
  if (runIds.length === 0) return [];
  const renewed = await database.urgent.rows(
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
  readonly maxLostServers: number | undefined;
  /** Milliseconds since the start of PostgreSQL before which no run is reclaimed. */
  readonly delayMs: number;
}

/** Reclaims the runs whose lease has expired. Of several servers that do so at the same time, each gets other runs. */
export async function reclaim(
  queries: Queries,
  addNotice: AddNotice,
  { reason, working, maxLostServers, delayMs }: Reclaim,
): Promise<readonly ReclaimedRun[]> {
  const found = await queries.rows(lost, working, delayMs);
  if (found.length === 0) return [];
  const now = await readClock(queries);
  const reclaimed: ReclaimedRun[] = [];
  for (const before of found.map(storedRun)) {
    const next = await applyEvent(queries, addNotice, before, lossOf(before.run, reason, maxLostServers), now);
    if (next.accepted) reclaimed.push({ lost: before.run, run: next.run });
  }
  return reclaimed;
}
