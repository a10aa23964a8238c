import type { ReclaimedRun } from "@quern/adapter";
import { lossOf } from "@quern/query-run/transition";
import { applyEvent } from "./changes.ts";
import { readClock } from "./clock.ts";
import type { Queries } from "./database.ts";
import type { AddNotice } from "./notices.ts";
import { executing, runColumns, storedRun } from "./run-records.ts";

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
