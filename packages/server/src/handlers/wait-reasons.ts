import type { WaitReasons } from "@quern/query-run/wire";
import { countOf } from "../scheduler/slots.ts";
import type { Service } from "./context.ts";

/** Returns the reasons why queued runs of a tenant do not start at present. */
export async function waitReasons(
  tenantId: string,
  { disk, scheduler, limitsOf, store }: Pick<Service, "disk" | "scheduler" | "limitsOf" | "store">,
): Promise<WaitReasons> {
  if (disk.waitReason !== undefined) return { ofOthers: disk.waitReason };
  const { maxRunningRuns } = await limitsOf(tenantId);
  if (maxRunningRuns !== undefined && (await store.runs.executing(tenantId)) >= maxRunningRuns) {
    const limit = countOf(maxRunningRuns);
    return { ofOthers: `The tenant executes ${limit}, its limit; the run starts when one of them ends.` };
  }
  return scheduler.waitReasons();
}
