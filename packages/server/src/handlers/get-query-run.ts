import { getQueryRunParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { GetQueryRunParams, GetQueryRunResult } from "@quern/protocol/types";
import type { Context, Service } from "./context.ts";
import { currentQueryRun } from "./current-query-run.ts";
import { findRun } from "./lookup.ts";

export async function getQueryRun(
  { queryRunId, waitSeconds = defaults.waitSeconds }: GetQueryRunParams,
  context: Context,
  service: Pick<Service, "changes" | "clock" | "disk" | "limitsOf" | "progress" | "scheduler" | "store">,
): Promise<GetQueryRunResult> {
  const run = await findRun(service.store.runs, context.principal, queryRunId);
  const current = await service.changes.waitForEnd(run, waitSeconds, context);
  return { queryRun: await currentQueryRun(current, service), redirectedToQueryRun: null };
}
