import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { Usage, UsageRecord } from "@quern/adapter";

/** Prepares a function that returns the usage of all users in a month, or in all months. */
export function prepareUsageRecords(database: DatabaseSync): (month: string | undefined) => readonly UsageRecord[] {
  const all = database.prepare(
    "SELECT * FROM usage WHERE month = coalesce(?, month) ORDER BY month, tenant_id, user_id",
  );
  return (month) => all.all(month ?? null).map(toUsageRecord);
}

/** Prepares a function that returns the usage of the users of a tenant in a month. */
export function prepareTenantUsage(
  database: DatabaseSync,
): (tenantId: string, month: string) => readonly UsageRecord[] {
  const ofTenant = database.prepare("SELECT * FROM usage WHERE tenant_id = ? AND month = ? ORDER BY user_id");
  return (tenantId, month) => ofTenant.all(tenantId, month).map(toUsageRecord);
}

/** Returns the usage in a row. */
export function toUsage(row: Record<string, SQLOutputValue>): Usage {
  return {
    execMs: Number(row.exec_ms),
    runs: Number(row.runs),
    rows: Number(row.rows),
    bytesRead: Number(row.bytes_read),
  };
}

/** Returns the usage in a row, with its user and month. */
export function toUsageRecord(row: Record<string, SQLOutputValue>): UsageRecord {
  const user = { tenantId: String(row.tenant_id), userId: String(row.user_id), month: String(row.month) };
  return { ...user, ...toUsage(row) };
}
