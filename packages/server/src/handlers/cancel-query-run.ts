import type { CancelQueryRunParams, CancelQueryRunResult } from "@quern/protocol/types";
import type { RunRecord } from "@quern/query-run/record";
import { toQueryRun } from "@quern/query-run/wire";
import { declaredError } from "../declared-error.ts";
import { askerOf } from "../identity/principal.ts";
import type { Service } from "../service.ts";
import type { Context } from "./context.ts";
import { foundRun } from "./found.ts";

export async function cancelQueryRun(
  { queryRunId, queryRequestId }: CancelQueryRunParams,
  context: Context,
  { store, changes, scheduler, operation, clock }: Service,
): Promise<CancelQueryRunResult> {
  const { principal } = context;
  const run = await foundRun(store, principal, queryRunId);
  refuseEnded(run);
  const change =
    queryRequestId === undefined
      ? await changes.apply(run.id, { type: "canceled" })
      : await changes.withdraw({ runId: run.id, requestId: queryRequestId, userId: askerOf(principal) });
  if (change === undefined) throw declaredError("QueryRunNotFound", { queryRunId });
  // Refused: it ended in between.
  const after = change.accepted ? change.run : await foundRun(store, principal, queryRunId);
  refuseEnded(after);
  if (after.state === "QUERY_STATE_CANCELED") scheduler.stop(run.id);
  operation.audited(context, "run.cancel", { runId: run.id, requestId: queryRequestId ?? null });
  const queryRun = toQueryRun(after, clock.now());
  // Some clients read the one member, some the other.
  return { canceledQueryRun: queryRun, queryRun };
}

function refuseEnded({ state }: RunRecord): void {
  if (state === "QUERY_STATE_SUCCESS" || state === "QUERY_STATE_FAILED") {
    throw declaredError("QueryRunInvalidStateToCancel", { state });
  }
}
