import type { GetQueryRunParams, GetQueryRunResult } from "@quern/protocol/types";
import { currentQueryRun } from "./current-query-run.ts";
import { findRun } from "./lookup.ts";
import type { Context, Service } from "./service.ts";

export async function getQueryRun(
  { queryRunId, waitSeconds = 0 }: GetQueryRunParams,
  context: Context,
  service: Service,
): Promise<GetQueryRunResult> {
  const run = await findRun(service.store.runs, context.principal, queryRunId);
  const current = await service.changes.waitForEnd(run, waitSeconds, context);
  return { queryRun: await currentQueryRun(current, service), redirectedToQueryRun: null };
}
