import type { RunStore } from "@quern/adapter";
import type { CancelQueryRunParams, CancelQueryRunResult } from "@quern/protocol/types";
import { withdrawalIssues } from "@quern/query-run/idempotency";
import type { RunRecord } from "@quern/query-run/record";
import { toQueryRun } from "@quern/query-run/wire";
import { declaredError, invalidParams } from "../common/declared-error.ts";
import { userFilterOf } from "../identity/principal.ts";
import type { Context, Service } from "./context.ts";
import { findRun } from "./lookup.ts";
import { runShown } from "./shown-failure.ts";

export async function cancelQueryRun(
  params: CancelQueryRunParams,
  context: Context,
  { store, changes, telemetry, clock }: Pick<Service, "changes" | "clock" | "store" | "telemetry">,
): Promise<CancelQueryRunResult> {
  const { principal } = context;
  const target = await targetOf(params, context, store.runs);
  if (target === undefined) return { canceledQueryRun: null, queryRun: null };
  const { queryRunId, queryRequestId } = target;
  const run = await findRun(store.runs, principal, queryRunId);
  refuseEnded(run);
  const change =
    queryRequestId === undefined
      ? await changes.apply(run.id, { type: "canceled" })
      : await changes.withdraw({ runId: run.id, requestId: queryRequestId, userId: userFilterOf(principal) });
  if (change === undefined) throw declaredError("QueryRunNotFound", { queryRunId });
  // A refused change means that the run has ended since it was read, or was canceled before.
  const after = change.accepted ? change.run : await findRun(store.runs, principal, queryRunId);
  refuseEnded(after);
  telemetry.audited(context, "run.cancel", { runId: run.id, queryRequestId: queryRequestId ?? null });
  const queryRun = toQueryRun(runShown(after, principal), clock.now());
  // Some clients read `canceledQueryRun`, others `queryRun`.
  return { canceledQueryRun: queryRun, queryRun };
}

/** Run to cancel, or request to withdraw. */
interface Target {
  readonly queryRunId: string;
  /** Undefined cancels the run for all of its requests. */
  readonly queryRequestId: string | undefined;
}

/**
 * Finds the run and request that a call cancels. Returns undefined for an idempotency key whose `createQueryRun` call
 * has not arrived; the store then remembers the key, so that the `createQueryRun` call creates a canceled run.
 */
async function targetOf(
  params: CancelQueryRunParams,
  { principal: { apiKeyId } }: Context,
  runs: RunStore,
): Promise<Target | undefined> {
  const issues = withdrawalIssues(params);
  if (issues.length > 0) throw invalidParams(issues);
  const { queryRunId, queryRequestId, idempotencyKey = "" } = params;
  if (queryRunId !== undefined) return { queryRunId, queryRequestId };
  const request = await runs.withdrawKey({ apiKeyId, key: idempotencyKey });
  return request && { queryRunId: request.queryRunId, queryRequestId: request.id };
}

/**
 * @throws {MethodError} QueryRunInvalidStateToCancel if the run succeeded or failed. A canceled run can be canceled
 *   again.
 */
function refuseEnded({ state }: RunRecord): void {
  if (state === "QUERY_STATE_SUCCESS" || state === "QUERY_STATE_FAILED") {
    throw declaredError("QueryRunInvalidStateToCancel", { state });
  }
}
