import type { Instant } from "@quern/query-run/record";
import type { Queries } from "./database.ts";

/** Returns the time by the clock of the database. */
export async function readClock(queries: Queries): Promise<Instant> {
  return Number((await queries.rows("SELECT now_ms() AS now"))[0]?.now);
}
