import type { CancelQueryRunParams, CancelQueryRunResult } from "@quern/protocol/types";
import { isRemembered, withdrawalIssues } from "@quern/query-run/idempotency";
import { toQueryRun } from "@quern/query-run/wire";
import type { Namespace } from "../namespace/namespace.ts";
import type { MockRun } from "../runs/mock-run.ts";
import { declaredError, invalidParams } from "../wire/declared-error.ts";
import { type Context, foundRun } from "./found.ts";

export async function cancelQueryRun(
  params: CancelQueryRunParams,
  { principal }: Context,
): Promise<CancelQueryRunResult> {
  const withdrawn = withdrawnBy(params, principal);
  if (withdrawn === undefined) return { canceledQueryRun: null, queryRun: null };
  const run = foundRun(principal, withdrawn.queryRunId);
  await run.glance();
  const { state } = run.record;
  if (state === "QUERY_STATE_SUCCESS" || state === "QUERY_STATE_FAILED")
    throw declaredError("QueryRunInvalidStateToCancel", { state });
  // Canceling a canceled run is refused by the life cycle and answers the same again.
  if (isUnwanted(run, withdrawn)) run.apply({ type: "canceled" });
  const queryRun = toQueryRun(run.record, principal.clock.now());
  // The published clients read one or the other.
  return { canceledQueryRun: queryRun, queryRun };
}

interface Withdrawn {
  readonly queryRunId: string;
  /** Undefined: all requests of the run. */
  readonly queryRequestId?: string | undefined;
}

/** Finds the run and the request that a call names. Undefined where their create has not arrived: its key is remembered. */
function withdrawnBy(params: CancelQueryRunParams, namespace: Namespace): Withdrawn | undefined {
  const issues = withdrawalIssues(params);
  if (issues.length > 0) throw invalidParams(issues);
  const { queryRunId, queryRequestId, idempotencyKey = "" } = params;
  if (queryRunId !== undefined) return { queryRunId, queryRequestId };
  const now = namespace.clock.now();
  const request = namespace.idempotentRequests.get(idempotencyKey)?.request;
  if (request !== undefined && isRemembered(request.createdAt, now))
    return { queryRunId: request.queryRunId, queryRequestId: request.id };
  namespace.withdrawnKeys.set(idempotencyKey, now);
  return undefined;
}

/** Withdraws one request, or all of them; whether nobody waits for the run any more. */
function isUnwanted({ requests, withdrawn }: MockRun, { queryRunId, queryRequestId }: Withdrawn): boolean {
  if (queryRequestId === undefined) return true;
  if (!requests.has(queryRequestId)) throw declaredError("QueryRunNotFound", { queryRunId });
  withdrawn.add(queryRequestId);
  return withdrawn.size === requests.size;
}
