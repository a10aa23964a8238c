import type { QueryRun } from "@quern/protocol/types";
import type { RunRecord } from "@quern/query-run/record";
import { toQueryRun } from "@quern/query-run/wire";
import type { Service } from "./service.ts";

/**
 * Returns a run in its wire format, with its position in the queue while it waits, and its progress while it executes.
 */
export async function currentQueryRun(
  run: RunRecord,
  { store, progress, clock, disk }: Pick<Service, "store" | "progress" | "clock" | "disk">,
): Promise<QueryRun> {
  const queryRun = toQueryRun(run, clock.now(), disk.waitReason);
  if (run.state === "QUERY_STATE_READY") {
    const queuePosition = await store.runs.queuePosition(run);
    return { ...queryRun, ...(queuePosition !== undefined && { queuePosition }) };
  }
  const share = run.state === "QUERY_STATE_RUNNING" ? progress.of(run.id) : undefined;
  return { ...queryRun, ...(share !== undefined && { progress: share }) };
}
