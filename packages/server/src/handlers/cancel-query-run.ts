import type { CancelQueryRunParams, CancelQueryRunResult } from "@quern/protocol/types";
import type { RunRecord } from "@quern/query-run/record";
import { toQueryRun } from "@quern/query-run/wire";
import { declaredError } from "../declared-error.ts";
import type { Service } from "../service.ts";
import type { Context } from "./context.ts";
import { foundRun } from "./found.ts";

export async function cancelQueryRun(
  { queryRunId, queryRequestId }: CancelQueryRunParams,
  { principal }: Context,
  service: Service,
): Promise<CancelQueryRunResult> {
  const { store, clock } = service;
  const run = await foundRun(store, principal, queryRunId);
  refuseEnded(run);
  if (queryRequestId !== undefined) {
    const left = await store.withdraw(run.id, queryRequestId, clock.now());
    if (left === undefined) throw declaredError("QueryRunNotFound", { queryRunId });
    if (left > 0) return answer(run);
  }
  return answer(await cancel(run, service));
}

async function cancel(run: RunRecord, { changes, scheduler, store }: Service): Promise<RunRecord> {
  const change = await changes.apply(run.id, { type: "canceled" });
  if (change?.accepted) {
    scheduler.stop(run.id);
    return change.run;
  }
  // It ended in between.
  const ended = (await store.run(run.id)) ?? run;
  refuseEnded(ended);
  return ended;
}

function refuseEnded({ state }: RunRecord): void {
  if (state === "QUERY_STATE_SUCCESS" || state === "QUERY_STATE_FAILED") {
    throw declaredError("QueryRunInvalidStateToCancel", { state });
  }
}

/** Some clients read the one member, some the other. */
function answer(run: RunRecord): CancelQueryRunResult {
  const queryRun = toQueryRun(run);
  return { canceledQueryRun: queryRun, queryRun };
}
