import { type Context, commandFunction } from "../../command-function.ts";
import { administer } from "../../data-directory/administration.ts";
import type { StoreListFlags } from "../../data-directory/flags.ts";
import { writeRows } from "../../output/rows.ts";

export interface UsageFlags extends StoreListFlags {
  readonly month?: string;
}

export const runUsage = commandFunction(async (context: Context, flags: UsageFlags) => {
  const usage = await administer("usage", context, flags, ({ listUsage }, service) => listUsage(service, flags.month));
  const rows = usage.map(({ month, tenantId, userId, execMs, runs, rows, bytesRead }) => ({
    month,
    tenant: tenantId,
    user: userId,
    query_exec_seconds: execMs / 1_000,
    runs,
    rows,
    bytes_read: bytesRead,
  }));
  const names = ["month", "tenant", "user", "query_exec_seconds", "runs", "rows", "bytes_read"];
  await writeRows(context, flags, names, rows);
});
