import type { TenantRecord, TenantSettings, TenantStore, Usage, UsageRecord, UsageStore } from "@quern/adapter";
import type { Database, Row } from "./database.ts";

export function createPostgresTenantStore(database: Database): TenantStore {
  return {
    async tenant(id) {
      const [row] = await database.rows("SELECT * FROM tenants WHERE id = $1", id);
      return row && toTenantRecord(row);
    },
    all: async () => (await database.rows("SELECT * FROM tenants ORDER BY created_at, id")).map(toTenantRecord),
    async set(id, settings) {
      await database.rows(
        `INSERT INTO tenants AS old (id, created_at, settings) VALUES ($1, now_ms(), $2::jsonb)
          ON CONFLICT (id) DO UPDATE SET settings = old.settings || excluded.settings`,
        id,
        JSON.stringify(settings),
      );
    },
    async storedBytes(id) {
      const [row] = await database.rows("SELECT bytes FROM stored_bytes WHERE tenant_id = $1", id);
      return Number(row?.bytes ?? 0);
    },
    async allStoredBytes() {
      const rows = await database.rows("SELECT * FROM stored_bytes WHERE bytes > 0 ORDER BY tenant_id");
      return rows.map(({ tenant_id, bytes }) => ({ tenantId: String(tenant_id), bytes: Number(bytes) }));
    },
  };
}

/** Returns the tenant in a row. */
export function toTenantRecord({ id, created_at, settings }: Row): TenantRecord {
  // Only this package writes settings.
  return { id: String(id), createdAt: Number(created_at), settings: settings as TenantSettings };
}

const add = `
  INSERT INTO usage AS old (tenant_id, user_id, month, exec_ms, runs, rows, bytes_read)
  SELECT tenant_id, user_id, month, sum(exec_ms), sum(runs), sum(rows), sum(bytes_read) FROM unnest($1::text[], $2::text[],
    $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
    AS more (tenant_id, user_id, month, exec_ms, runs, rows, bytes_read)
  GROUP BY month, tenant_id, user_id ORDER BY month, tenant_id, user_id
  ON CONFLICT (month, tenant_id, user_id) DO UPDATE SET exec_ms = old.exec_ms + excluded.exec_ms,
    runs = old.runs + excluded.runs, rows = old.rows + excluded.rows, bytes_read = old.bytes_read + excluded.bytes_read`;

export function createPostgresUsageStore(database: Database): UsageStore {
  return {
    async add(more) {
      if (more.length === 0) return;
      const users = [more.map((one) => one.tenantId), more.map((one) => one.userId), more.map((one) => one.month)];
      const whole = (values: readonly number[]) => values.map(Math.round);
      const times = [whole(more.map((one) => one.execMs)), whole(more.map((one) => one.runs))];
      const sizes = [whole(more.map((one) => one.rows)), whole(more.map((one) => one.bytesRead))];
      await database.rows(add, ...users, ...times, ...sizes);
    },
    async get({ tenantId, userId, month }) {
      const [row] = await database.rows(
        "SELECT * FROM usage WHERE tenant_id = $1 AND user_id = $2 AND month = $3",
        tenantId,
        userId,
        month,
      );
      return row === undefined ? { execMs: 0, runs: 0, rows: 0, bytesRead: 0 } : toUsage(row);
    },
    async ofTenant(tenantId, month) {
      const rows = await database.rows(
        "SELECT * FROM usage WHERE tenant_id = $1 AND month = $2 ORDER BY user_id",
        tenantId,
        month,
      );
      return rows.map(toUsageRecord);
    },
    async all(month) {
      const rows = await database.rows(
        "SELECT * FROM usage WHERE month = coalesce($1, month) ORDER BY month, tenant_id, user_id",
        month ?? null,
      );
      return rows.map(toUsageRecord);
    },
  };
}

function toUsage(row: Row): Usage {
  return {
    execMs: Number(row.exec_ms),
    runs: Number(row.runs),
    rows: Number(row.rows),
    bytesRead: Number(row.bytes_read),
  };
}

/** Returns the usage in a row, with its user and month. */
export function toUsageRecord(row: Row): UsageRecord {
  const user = { tenantId: String(row.tenant_id), userId: String(row.user_id), month: String(row.month) };
  return { ...user, ...toUsage(row) };
}
