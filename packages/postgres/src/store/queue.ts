import type { ClaimedRun, Lease, SourceFilter } from "@quern/adapter";
import type { StatementRecord } from "@quern/query-run/record";
import { transition } from "@quern/query-run/transition";
import type { Database, Transaction } from "./database.ts";
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
