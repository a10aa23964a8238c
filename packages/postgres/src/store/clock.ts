import type { Instant } from "@quern/query-run/record";
import type pg from "pg";
import type { Queries } from "./database.ts";

/** Returns the time by the clock of the database. */
export async function readClock(queries: Queries): Promise<Instant> {
  return Number((await queries.rows("SELECT now_ms() AS now"))[0]?.now);
}

/** Bound for the clocks of servers, as for that of an object storage: links and tokens end earlier or later by it. */
const maxDifferenceMs = 5 * 60_000;

/**
 * Compares the clock of this machine with that of the database.
 * @returns both times if they differ by more than five minutes
 */
export async function findClockDifference(
  client: pg.Client,
): Promise<{ readonly database: string; readonly machine: string } | undefined> {
  const before = Date.now();
  const { rows } = await client.query("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now");
  const after = Date.now();
  const database = Number(rows[0]?.now);
  if (before - database <= maxDifferenceMs && database - after <= maxDifferenceMs) return undefined;
  return { database: new Date(database).toISOString(), machine: new Date(after).toISOString() };
}
