import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { TenantRecord, TenantStore, Usage, UsageRecord, UsageStore } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import { createCommits } from "./group-commit.ts";

export function createSqliteTenantStore(database: DatabaseSync, now: () => Instant): TenantStore {
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
  return {
    tenant: async (id) => {
      const row = one.get(id);
      return row && toTenantRecord(row);
    },
    all: async () => all.all().map(toTenantRecord),
    set: async (id, settings) => {
      set.run(id, now(), JSON.stringify(settings));
    },
  };
}

function toTenantRecord({ id, created_at, settings }: Record<string, SQLOutputValue>): TenantRecord {
  // Only this store writes settings.
  return { id: String(id), createdAt: Number(created_at), settings: JSON.parse(String(settings)) };
}

export function createSqliteUsageStore(database: DatabaseSync): UsageStore {
  const one = database.prepare("SELECT * FROM usage WHERE tenant_id = ? AND user_id = ? AND month = ?");
  const all = database.prepare(
    "SELECT * FROM usage WHERE month = coalesce(?, month) ORDER BY month, tenant_id, user_id",
  );
  const add = database.prepare(
    `INSERT INTO usage (tenant_id, user_id, month, exec_ms, runs, rows, bytes_read) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant_id, user_id, month) DO UPDATE SET exec_ms = exec_ms + excluded.exec_ms,
      runs = runs + excluded.runs, rows = rows + excluded.rows, bytes_read = bytes_read + excluded.bytes_read`,
  );
  const commits = createCommits(database);
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
    all: async (month) => all.all(month ?? null).map(toUsageRecord),
  };
}

function toUsage(row: Record<string, SQLOutputValue>): Usage {
  return {
    execMs: Number(row.exec_ms),
    runs: Number(row.runs),
    rows: Number(row.rows),
    bytesRead: Number(row.bytes_read),
  };
}

function toUsageRecord(row: Record<string, SQLOutputValue>): UsageRecord {
  const user = { tenantId: String(row.tenant_id), userId: String(row.user_id), month: String(row.month) };
  return { ...user, ...toUsage(row) };
}
