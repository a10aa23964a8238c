import type { LeaseStore } from "@quern/adapter";
import type { Database } from "./database.ts";
import { lockClasses } from "./locks.ts";

export function createPostgresLeaseStore(database: Database): LeaseStore {
  return {
    async take(name, limit, { owner, ms }) {
      const renewed = await database.rows(
        "UPDATE leases SET until = now_ms() + $3 WHERE name = $1 AND owner = $2 AND until > now_ms() RETURNING 1",
        ...[name, owner, ms],
      );
      if (renewed.length === 1) return true;
      return database.transaction(async (queries) => {
        await queries.rows("SELECT pg_advisory_xact_lock($1, hashtext($2))", lockClasses.lease, name);
        await queries.rows("DELETE FROM leases WHERE name = $1 AND until <= now_ms()", name);
        const taken = await queries.rows(
          `INSERT INTO leases (name, owner, until) SELECT $1, $2, now_ms() + $3
            WHERE (SELECT count(*) FROM leases WHERE name = $1) < $4
            ON CONFLICT (name, owner) DO UPDATE SET until = excluded.until RETURNING 1`,
          ...[name, owner, ms, limit],
        );
        return taken.length === 1;
      });
    },
    async release(name, owner) {
      await database.rows("DELETE FROM leases WHERE name = $1 AND owner = $2", name, owner);
    },
  };
}
