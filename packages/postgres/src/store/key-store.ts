import type { KeyRecord, KeyStore, Scope } from "@quern/adapter";
import type { Database, Row } from "./database.ts";

const select = "SELECT *, now_ms() AS now FROM keys";

const insert = `
  INSERT INTO keys (id, hash, last_four, origin, tenant_id, user_id, scopes, sources, origins, networks, expires_at, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now_ms())`;

export function createPostgresKeyStore(database: Database): KeyStore {
  const change = async (text: string, ...values: readonly unknown[]): Promise<void> => {
    await database.rows(text, ...values);
  };
  return {
    async byHash(hash) {
      const [row] = await database.rows(`${select} WHERE hash = $1`, Buffer.from(hash));
      return row && toKeyRecord(row);
    },
    all: async () => (await database.rows(`${select} ORDER BY created_at, id`)).map(toKeyRecord),
    add({ id, hash, lastFour, origin, tenantId, userId, scopes, sources, origins, networks, expiresAt }) {
      const lists = [scopes, sources, origins, networks];
      return change(insert, id, Buffer.from(hash), lastFour, origin, tenantId, userId, ...lists, expiresAt);
    },
    revoke: (id) =>
      change("UPDATE keys SET revoked_at = coalesce(revoked_at, now_ms()), replaced = false WHERE id = $1", id),
    replace: (id) =>
      change("UPDATE keys SET revoked_at = now_ms(), replaced = true WHERE id = $1 AND revoked_at IS NULL", id),
    restore: (id) => change("UPDATE keys SET revoked_at = NULL, replaced = false WHERE id = $1 AND replaced", id),
    expire: (id, ms) => change("UPDATE keys SET expires_at = least(expires_at, now_ms() + $2) WHERE id = $1", id, ms),
    used: (id) => change("UPDATE keys SET last_used_at = now_ms() WHERE id = $1", id),
  };
}

/** Returns the key in a row, which only this package writes. */
export function toKeyRecord(row: Row): KeyRecord {
  const origin = (["environment", "issued"] as const).find((each) => each === row.origin);
  const [expiresAt, revokedAt] = [toInstant(row.expires_at), toInstant(row.revoked_at)];
  const isExpired = expiresAt !== null && expiresAt <= Number(row.now);
  return {
    id: String(row.id),
    hash: row.hash instanceof Uint8Array ? new Uint8Array(row.hash) : new Uint8Array(),
    lastFour: String(row.last_four),
    origin: origin ?? "generated",
    tenantId: String(row.tenant_id),
    userId: String(row.user_id),
    scopes: (toList(row.scopes) ?? []) as readonly Scope[],
    sources: toList(row.sources),
    origins: toList(row.origins),
    networks: toList(row.networks),
    createdAt: Number(row.created_at),
    expiresAt,
    revokedAt,
    replaced: row.replaced === true,
    lastUsedAt: toInstant(row.last_used_at),
    state: revokedAt !== null ? "revoked" : isExpired ? "expired" : "active",
  };
}

function toList(value: unknown): readonly string[] | null {
  return Array.isArray(value) ? value.map(String) : null;
}

function toInstant(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
