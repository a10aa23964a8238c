import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { KeyRecord, KeyStore } from "../key-store.ts";

export function createSqliteKeyStore(database: DatabaseSync): KeyStore {
  const byHash = database.prepare("SELECT * FROM keys WHERE hash = ?");
  const all = database.prepare("SELECT * FROM keys ORDER BY created_at");
  const revoke = database.prepare("UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?");
  const restore = database.prepare("UPDATE keys SET revoked_at = NULL WHERE id = ?");
  const insert = database.prepare(
    "INSERT INTO keys (id, hash, last_four, origin, tenant_id, user_id, created_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  return {
    byHash: async (hash) => {
      const row = byHash.get(hash);
      return row && toKeyRecord(row);
    },
    all: async () => all.all().map(toKeyRecord),
    add: async ({ id, hash, lastFour, origin, tenantId, userId, createdAt, revokedAt }) => {
      insert.run(id, hash, lastFour, origin, tenantId, userId, createdAt, revokedAt);
    },
    revoke: async (id, now) => {
      revoke.run(now, id);
    },
    restore: async (id) => {
      restore.run(id);
    },
  };
}

function toKeyRecord(row: Record<string, SQLOutputValue>): KeyRecord {
  return {
    id: String(row.id),
    hash: row.hash instanceof Uint8Array ? row.hash : new Uint8Array(),
    lastFour: String(row.last_four),
    origin: row.origin === "environment" ? "environment" : "generated",
    tenantId: String(row.tenant_id),
    userId: String(row.user_id),
    createdAt: Number(row.created_at),
    revokedAt: row.revoked_at === null ? null : Number(row.revoked_at),
  };
}
