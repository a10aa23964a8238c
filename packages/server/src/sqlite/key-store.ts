import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import type { KeyRecord, KeyStore } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import { isScope } from "../identity/principal.ts";
import type { Commits } from "./group-commit.ts";

export function createSqliteKeyStore(database: DatabaseSync, commits: Commits, now: () => Instant): KeyStore {
  const byHash = database.prepare("SELECT * FROM keys WHERE hash = ?");
  const all = database.prepare("SELECT * FROM keys ORDER BY created_at, id");
  const revoke = database.prepare("UPDATE keys SET revoked_at = coalesce(revoked_at, ?), replaced = 0 WHERE id = ?");
  const replace = database.prepare("UPDATE keys SET revoked_at = ?, replaced = 1 WHERE id = ? AND revoked_at IS NULL");
  const restore = database.prepare("UPDATE keys SET revoked_at = NULL, replaced = 0 WHERE id = ? AND replaced = 1");
  const expire = database.prepare("UPDATE keys SET expires_at = min(coalesce(expires_at, ?1), ?1) WHERE id = ?2");
  const used = database.prepare("UPDATE keys SET last_used_at = ? WHERE id = ?");
  const insert = database.prepare(
    `INSERT INTO keys (id, hash, last_four, origin, tenant_id, user_id, created_at, scopes, sources, origins, networks,
      expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const change = (statement: StatementSync, ...values: SQLInputValue[]): Promise<void> =>
    commits.change(() => void statement.run(...values));
  return {
    byHash: async (hash) => {
      const row = byHash.get(hash);
      return row && toKeyRecord(row, now());
    },
    all: async () => {
      const time = now();
      return all.all().map((row) => toKeyRecord(row, time));
    },
    add: (key) => {
      const { id, hash, lastFour, origin, tenantId, userId, expiresAt } = key;
      const restrictions = [key.sources, key.origins, key.networks].map(listText);
      const lists = [JSON.stringify(key.scopes), ...restrictions];
      return change(insert, id, hash, lastFour, origin, tenantId, userId, now(), ...lists, expiresAt);
    },
    revoke: (id) => change(revoke, now(), id),
    replace: (id) => change(replace, now(), id),
    restore: (id) => change(restore, id),
    expire: (id, ms) => change(expire, now() + ms, id),
    used: (id) => change(used, now(), id),
  };
}

/** Returns the key in a row. */
export function toKeyRecord(row: Record<string, SQLOutputValue>, now: Instant): KeyRecord {
  const origin = (["environment", "issued"] as const).find((each) => each === row.origin);
  const [expiresAt, revokedAt] = [toInstant(row.expires_at), toInstant(row.revoked_at)];
  const isExpired = expiresAt !== null && expiresAt <= now;
  return {
    id: String(row.id),
    hash: row.hash instanceof Uint8Array ? row.hash : new Uint8Array(),
    lastFour: String(row.last_four),
    origin: origin ?? "generated",
    tenantId: String(row.tenant_id),
    userId: String(row.user_id),
    scopes: (toList(row.scopes) ?? []).filter(isScope),
    sources: toList(row.sources),
    origins: toList(row.origins),
    networks: toList(row.networks),
    createdAt: Number(row.created_at),
    expiresAt,
    revokedAt,
    replaced: row.replaced === 1,
    lastUsedAt: toInstant(row.last_used_at),
    state: revokedAt !== null ? "revoked" : isExpired ? "expired" : "active",
  };
}

/** Returns the text of a list. */
export function listText(list: readonly string[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}

/** Parses a list, which only this store writes. */
function toList(value: SQLOutputValue | undefined): readonly string[] | null {
  return typeof value === "string" ? (JSON.parse(value) as string[]) : null;
}

function toInstant(value: SQLOutputValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}
