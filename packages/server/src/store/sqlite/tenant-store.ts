import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { TenantRecord, TenantStore } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";

export function createSqliteTenantStore(database: DatabaseSync, now: () => Instant): TenantStore {
  const one = database.prepare("SELECT * FROM tenants WHERE id = ?");
  const all = database.prepare("SELECT * FROM tenants ORDER BY created_at, id");
  // Null says something here, so that members are laid over each other one by one; `json_patch` would drop it.
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
  // Settings are written by this store alone; what it reads is what it wrote.
  return { id: String(id), createdAt: Number(created_at), settings: JSON.parse(String(settings)) };
}
