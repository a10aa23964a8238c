import { type Context, commandFunction } from "../../command-function.ts";
import { administer } from "../../data-directory/administration.ts";
import type { ListFlags } from "../../data-directory/flags.ts";
import { writeRows } from "../../output/rows.ts";

export interface UsageFlags extends ListFlags {
  readonly month?: string;
}

export const runUsage = commandFunction(async (context: Context, flags: UsageFlags) => {
  const usage = await administer("usage", context, ({ listUsage }) => listUsage(flags.dataDir, flags.month));
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
