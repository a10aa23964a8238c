import { getUsageParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { GetUsageParams, GetUsageResult } from "@quern/protocol/types";
import { monthOf, nextMonth } from "../telemetry/usage-meter.ts";
import type { Context, Service } from "./context.ts";

const noUsage = { execMs: 0, runs: 0, rows: 0, bytesRead: 0 };
const noRuns = { running: 0, queued: 0 };

export async function getUsage(
  { limit = defaults.limit }: GetUsageParams,
  { principal: { tenantId } }: Context,
  { store, limitsOf, clock }: Pick<Service, "clock" | "limitsOf" | "store">,
): Promise<GetUsageResult> {
  const now = clock.now();
  const month = monthOf(now);
  const [{ maxStoredBytes = null, monthlyExecSeconds = null }, storedBytes, unfinished, usage] = await Promise.all([
    limitsOf(tenantId),
    store.tenants.storedBytes(tenantId),
    store.runs.unfinished(tenantId),
    store.usage.ofTenant(tenantId, month),
  ]);
  const runsOf = new Map(unfinished.map((each) => [each.userId, each]));
  const usageOf = new Map(usage.map((each) => [each.userId, each]));
  const users = [...new Set([...usageOf.keys(), ...runsOf.keys()])].map((userId) => {
    const { execMs, runs, rows, bytesRead } = usageOf.get(userId) ?? noUsage;
    const { running, queued } = runsOf.get(userId) ?? noRuns;
    const execSeconds = execMs / 1_000;
    return { userId, runningRuns: running, queuedRuns: queued, execSeconds, runs, rows, bytesRead };
  });
  // The user id makes the order the same in each call.
  users.sort((a, b) => b.execSeconds - a.execSeconds || (a.userId < b.userId ? -1 : 1));
  const sum = (member: "bytesRead" | "execSeconds" | "queuedRuns" | "rows" | "runningRuns" | "runs"): number =>
    users.reduce((total, user) => total + user[member], 0);
  return {
    month,
    resetsAt: nextMonth(now),
    runningRuns: sum("runningRuns"),
    queuedRuns: sum("queuedRuns"),
    storedBytes,
    maxStoredBytes,
    execSeconds: usage.reduce((total, { execMs }) => total + execMs, 0) / 1_000,
    monthlyExecSeconds,
    runs: sum("runs"),
    rows: sum("rows"),
    bytesRead: sum("bytesRead"),
    users: users.slice(0, limit),
    usersLeftOut: Math.max(0, users.length - limit),
  };
}
