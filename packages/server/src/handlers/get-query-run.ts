import type { GetQueryRunParams, GetQueryRunResult } from "@quern/protocol/types";
import { toQueryRun } from "@quern/query-run/wire";
import { findRun } from "./lookup.ts";
import type { Context, Service } from "./service.ts";

export async function getQueryRun(
  { queryRunId, waitSeconds = 0 }: GetQueryRunParams,
  context: Context,
  { store, changes, clock }: Service,
): Promise<GetQueryRunResult> {
  const run = await findRun(store.runs, context.principal, queryRunId);
  const settled = await changes.settled(run, waitSeconds, context);
  return { queryRun: toQueryRun(settled, clock.now()), redirectedToQueryRun: null };
}
