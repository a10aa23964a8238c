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
  const settled = await service.changes.settled(run, waitSeconds, context);
  return { queryRun: await currentQueryRun(settled, service), redirectedToQueryRun: null };
}
