import type { QueryRun } from "@quern/protocol/types";
import type { RunRecord } from "@quern/query-run/record";
import { toQueryRun } from "@quern/query-run/wire";
import type { Service } from "./context.ts";
import { waitReasons } from "./wait-reasons.ts";

/**
 * Returns a run in its wire format, with its position in the queue while it waits, and its progress while it executes.
 */
export async function currentQueryRun(
  run: RunRecord,
  service: Pick<Service, "store" | "progress" | "clock" | "disk" | "scheduler" | "limitsOf">,
): Promise<QueryRun> {
  const { store, progress, clock } = service;
  if (run.state === "QUERY_STATE_READY") {
    const [queuePosition, reasons] = await Promise.all([
      store.runs.queuePosition(run),
      waitReasons(run.tenantId, service),
    ]);
    const queryRun = toQueryRun(run, clock.now(), reasons);
    return { ...queryRun, ...(queuePosition !== undefined && { queuePosition }) };
  }
  const queryRun = toQueryRun(run, clock.now());
  const share = run.state === "QUERY_STATE_RUNNING" ? progress.of(run.id) : undefined;
  return { ...queryRun, ...(share !== undefined && { progress: share }) };
}
