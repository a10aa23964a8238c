import type { RateStore } from "@quern/adapter";
import type { Database } from "./database.ts";

// At most a whole bucket is missing, even after the clock was set back. The clock is read once the row is locked.
const take = `
  INSERT INTO rate_buckets AS bucket (key, full_at, wait_ms) VALUES ($1, now_ms() + $2::float8, 0)
  ON CONFLICT (key) DO UPDATE SET (full_at, wait_ms) = (
    SELECT now + missing + CASE WHEN wait > 0 THEN 0 ELSE $2::float8 END, greatest(wait, 0)
    FROM (
      SELECT now, missing, ceil(missing - ($3::float8 - 1) * $2::float8) AS wait FROM (
        SELECT now, least(greatest(bucket.full_at - now, 0), $3::float8 * $2::float8) AS missing
        FROM (SELECT now_ms() AS now) AS clock
      ) AS bounded
    ) AS decided
  )
  RETURNING wait_ms`;

/** Number of calls after which full buckets are removed. */
const callsBetweenSweeps = 1_000;

export function createPostgresRateStore(database: Database): RateStore {
  let calls = 0;
  return {
    async take(key, { requestsPerSecond, burst }) {
      const [row] = await database.rows(take, key, 1_000 / requestsPerSecond, burst);
      calls += 1;
      if (calls % callsBetweenSweeps === 0) await database.rows("DELETE FROM rate_buckets WHERE full_at <= now_ms()");
      return Number(row?.wait_ms);
    },
  };
}
