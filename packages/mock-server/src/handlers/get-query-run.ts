import type { GetQueryRunParams, GetQueryRunResult } from "@quern/protocol/types";
import { toQueryRun } from "@quern/query-run/wire";
import type { Context } from "./context.ts";
import { foundRun } from "./found-run.ts";

export async function getQueryRun(
  { queryRunId, waitSeconds }: GetQueryRunParams,
  context: Context,
): Promise<GetQueryRunResult> {
  const { principal } = context;
  const run = foundRun(principal, queryRunId);
  if (waitSeconds) await run.settled(waitSeconds, context);
  else await run.polled(context.signal);
  return { queryRun: toQueryRun(run.record, principal.clock.now()), redirectedToQueryRun: null };
}
