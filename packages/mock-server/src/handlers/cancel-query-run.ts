import type { CancelQueryRunParams, CancelQueryRunResult } from "@quern/protocol/types";
import { toQueryRun } from "@quern/query-run/wire";
import { declaredError, invalidParams } from "../declared-error.ts";
import type { MockRun } from "../mock-run.ts";
import type { Context } from "./context.ts";
import { foundRun } from "./found-run.ts";

export async function cancelQueryRun(
  params: CancelQueryRunParams,
  { principal }: Context,
): Promise<CancelQueryRunResult> {
  const run = foundRun(principal, params.queryRunId);
  await run.look();
  if (isLast(run, params.queryRequestId)) cancel(run);
  const queryRun = toQueryRun(run.record);
  // The published clients read one or the other.
  return { canceledQueryRun: queryRun, queryRun };
}

/** Withdraws one request, or all of them; whether nobody waits for the run any more. */
function isLast({ requests, withdrawn }: MockRun, queryRequestId: string | undefined): boolean {
  if (queryRequestId === undefined) return true;
  if (!requests.has(queryRequestId)) {
    const expected = "the id of a request for this run";
    throw invalidParams([{ pointer: "/queryRequestId", expected, received: JSON.stringify(queryRequestId) }]);
  }
  withdrawn.add(queryRequestId);
  return withdrawn.size === requests.size;
}

/** Canceling a canceled run answers the same again. */
function cancel(run: MockRun): void {
  if (run.apply({ type: "canceled" }) || run.record.state === "QUERY_STATE_CANCELED") return;
  throw declaredError("QueryRunInvalidStateToCancel", { state: run.record.state });
}
