import type { RunStore } from "@quern/adapter";
import type { CancelQueryRunParams, CancelQueryRunResult } from "@quern/protocol/types";
import { withdrawalIssues } from "@quern/query-run/idempotency";
import type { RunRecord } from "@quern/query-run/record";
import { toQueryRun } from "@quern/query-run/wire";
import { declaredError, invalidParams } from "../common/declared-error.ts";
import { userFilterOf } from "../identity/principal.ts";
import type { Context } from "./context.ts";
import { findRun } from "./lookup.ts";
import type { Service } from "./service.ts";

export async function cancelQueryRun(
  params: CancelQueryRunParams,
  context: Context,
  { store, changes, telemetry, clock }: Service,
): Promise<CancelQueryRunResult> {
  const { principal } = context;
  const withdrawn = await withdrawnBy(params, context, store.runs);
  if (withdrawn === undefined) return { canceledQueryRun: null, queryRun: null };
  const { queryRunId, queryRequestId } = withdrawn;
  const run = await findRun(store.runs, principal, queryRunId);
  refuseEnded(run);
  const change =
    queryRequestId === undefined
      ? await changes.apply(run.id, { type: "canceled" })
      : await changes.withdraw({ runId: run.id, requestId: queryRequestId, userId: userFilterOf(principal) });
  if (change === undefined) throw declaredError("QueryRunNotFound", { queryRunId });
  // Refused: it ended in between.
  const after = change.accepted ? change.run : await findRun(store.runs, principal, queryRunId);
  refuseEnded(after);
  telemetry.audited(context, "run.cancel", { runId: run.id, queryRequestId: queryRequestId ?? null });
  const queryRun = toQueryRun(after, clock.now());
  // Some clients read the one member, some the other.
  return { canceledQueryRun: queryRun, queryRun };
}

interface Withdrawn {
  readonly queryRunId: string;
  /** Undefined: all requests of the run. */
  readonly queryRequestId: string | undefined;
}

/** Finds the run and the request that a call names. Undefined where their create has not arrived: its key is remembered. */
async function withdrawnBy(
  params: CancelQueryRunParams,
  { principal: { apiKeyId } }: Context,
  runs: RunStore,
): Promise<Withdrawn | undefined> {
  const issues = withdrawalIssues(params);
  if (issues.length > 0) throw invalidParams(issues);
  const { queryRunId, queryRequestId, idempotencyKey = "" } = params;
  if (queryRunId !== undefined) return { queryRunId, queryRequestId };
  const request = await runs.withdrawKey({ apiKeyId, key: idempotencyKey });
  return request && { queryRunId: request.queryRunId, queryRequestId: request.id };
}

function refuseEnded({ state }: RunRecord): void {
  if (state === "QUERY_STATE_SUCCESS" || state === "QUERY_STATE_FAILED") {
    throw declaredError("QueryRunInvalidStateToCancel", { state });
  }
}
