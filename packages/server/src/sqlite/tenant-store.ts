import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { TenantRecord, TenantStore, UsageStore } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import type { Commits } from "./group-commit.ts";
import type { Reader } from "./reader.ts";
import { toUsage } from "./usage-records.ts";

export function createSqliteTenantStore(database: DatabaseSync, commits: Commits, now: () => Instant): TenantStore {
  const one = database.prepare("SELECT * FROM tenants WHERE id = ?");
  const all = database.prepare("SELECT * FROM tenants ORDER BY created_at, id");
  // Merges member by member. `json_patch` would delete members that are null, which means no limit here.
  const set = database.prepare(
    `INSERT INTO tenants (id, created_at, settings) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET settings = (
      SELECT json_group_object(key, value) FROM (
        SELECT key, value FROM json_each(?3)
        UNION ALL SELECT key, value FROM json_each(settings) WHERE key NOT IN (SELECT key FROM json_each(?3))
      )
    )`,
  );
  const storedBytes = database.prepare("SELECT bytes FROM stored_bytes WHERE tenant_id = ?");
  const allStoredBytes = database.prepare("SELECT * FROM stored_bytes WHERE bytes > 0 ORDER BY tenant_id");
  return {
    tenant: async (id) => {
      const row = one.get(id);
      return row && toTenantRecord(row);
    },
    all: async () => all.all().map(toTenantRecord),
    set: (id, settings) => commits.change(() => void set.run(id, now(), JSON.stringify(settings))),
    storedBytes: async (id) => Number(storedBytes.get(id)?.bytes ?? 0),
    allStoredBytes: async () =>
      allStoredBytes.all().map(({ tenant_id, bytes }) => ({ tenantId: String(tenant_id), bytes: Number(bytes) })),
  };
}

/** Returns the tenant in a row. */
export function toTenantRecord({ id, created_at, settings }: Record<string, SQLOutputValue>): TenantRecord {
  // Only this store writes settings.
  return { id: String(id), createdAt: Number(created_at), settings: JSON.parse(String(settings)) };
}

export function createSqliteUsageStore(database: DatabaseSync, commits: Commits, reader: Reader): UsageStore {
  const one = database.prepare("SELECT * FROM usage WHERE tenant_id = ? AND user_id = ? AND month = ?");
  const add = database.prepare(
    `INSERT INTO usage (tenant_id, user_id, month, exec_ms, runs, rows, bytes_read) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant_id, user_id, month) DO UPDATE SET exec_ms = exec_ms + excluded.exec_ms,
      runs = runs + excluded.runs, rows = rows + excluded.rows, bytes_read = bytes_read + excluded.bytes_read`,
  );
  return {
    add: (more) =>
      commits.change(() => {
        for (const { tenantId, userId, month, execMs, runs, rows, bytesRead } of more)
          add.run(tenantId, userId, month, execMs, runs, rows, bytesRead);
      }),
    get: async ({ tenantId, userId, month }) => {
      const row = one.get(tenantId, userId, month);
      return row === undefined ? { execMs: 0, runs: 0, rows: 0, bytesRead: 0 } : toUsage(row);
    },
    ofTenant: (tenantId, month) => reader.read(tenantId, "usageOfTenant", tenantId, month),
    all: (month) => reader.read("", "usage", month),
  };
}
