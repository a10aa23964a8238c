import type { CancelQueryRunParams, CancelQueryRunResult } from "@quern/protocol/types";
import { toQueryRun } from "@quern/query-run/wire";
import type { MockRun } from "../runs/mock-run.ts";
import { declaredError } from "../wire/declared-error.ts";
import type { Context } from "./context.ts";
import { foundRun } from "./found-run.ts";

export async function cancelQueryRun(
  params: CancelQueryRunParams,
  { principal }: Context,
): Promise<CancelQueryRunResult> {
  const run = foundRun(principal, params.queryRunId);
  await run.glance();
  const { state } = run.record;
  if (state === "QUERY_STATE_SUCCESS" || state === "QUERY_STATE_FAILED")
    throw declaredError("QueryRunInvalidStateToCancel", { state });
  // Canceling a canceled run is refused by the life cycle and answers the same again.
  if (isUnwanted(run, params)) run.apply({ type: "canceled" });
  const queryRun = toQueryRun(run.record, principal.clock.now());
  // The published clients read one or the other.
  return { canceledQueryRun: queryRun, queryRun };
}

/** Withdraws one request, or all of them; whether nobody waits for the run any more. */
function isUnwanted({ requests, withdrawn }: MockRun, { queryRunId, queryRequestId }: CancelQueryRunParams): boolean {
  if (queryRequestId === undefined) return true;
  if (!requests.has(queryRequestId)) throw declaredError("QueryRunNotFound", { queryRunId });
  withdrawn.add(queryRequestId);
  return withdrawn.size === requests.size;
}
