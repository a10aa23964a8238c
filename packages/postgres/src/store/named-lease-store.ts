import type { NamedLeaseStore } from "@quern/adapter";
import type { Database } from "./database.ts";
import { lockClasses } from "./locks.ts";
import { executing } from "./run-records.ts";

/**
 * Time after the end of a named lease for which its owner is listed, in milliseconds: the servers elect a new leader up
 * to ten seconds after the lease of one that was killed has ended.
 */
const electionMs = 15_000;

/**
 * Lists the owners of leases of runs, and of named leases, also shortly after their end. They are servers, and calls
 * that inspect a source, each of which has an owner of its own.
 */
export async function readServers(database: Database): Promise<readonly string[]> {
  const rows = await database.rows(
    `SELECT owner FROM leases WHERE until > now_ms() - $1::bigint
      UNION SELECT lease_owner FROM runs WHERE state IN ${executing} AND lease_until > now_ms() ORDER BY owner`,
    electionMs,
  );
  return rows.map(({ owner }) => String(owner));
}

export function createPostgresNamedLeaseStore(database: Database): NamedLeaseStore {
  return {
    async take(name, limit, { owner, ms }) {
      const renewed = await database.rows(
        "UPDATE leases SET until = now_ms() + $3 WHERE name = $1 AND owner = $2 AND until > now_ms() RETURNING 1",
        name,
        owner,
        ms,
      );
      if (renewed.length === 1) return true;
      return database.transaction(async (queries) => {
        await queries.rows("SELECT pg_advisory_xact_lock($1, hashtext($2))", lockClasses.lease, name);
        await queries.rows("DELETE FROM leases WHERE name = $1 AND until <= now_ms()", name);
        const taken = await queries.rows(
          `INSERT INTO leases (name, owner, until) SELECT $1, $2, now_ms() + $3
            WHERE (SELECT count(*) FROM leases WHERE name = $1) < $4
            ON CONFLICT (name, owner) DO UPDATE SET until = excluded.until RETURNING 1`,
          name,
          owner,
          ms,
          limit,
        );
        return taken.length === 1;
      });
    },
    async release(name, owner) {
      await database.rows("DELETE FROM leases WHERE name = $1 AND owner = $2", name, owner);
    },
  };
}
