import type { CancelQueryRunParams, CancelQueryRunResult } from "@quern/protocol/types";
import { isRemembered, withdrawalIssues } from "@quern/query-run/idempotency";
import { toQueryRun } from "@quern/query-run/wire";
import type { NamespaceState } from "../namespace/namespace-state.ts";
import type { MockRun } from "../runs/mock-run.ts";
import { declaredError, invalidParams } from "../wire/contract-methods.ts";
import { type Context, findRun } from "./lookup.ts";

export async function cancelQueryRun(
  params: CancelQueryRunParams,
  { principal }: Context,
): Promise<CancelQueryRunResult> {
  const withdrawal = withdrawalOf(params, principal);
  if (withdrawal === undefined) return { canceledQueryRun: null, queryRun: null };
  const run = findRun(principal, withdrawal.queryRunId);
  await run.updateNow();
  const { state } = run.record;
  if (state === "QUERY_STATE_SUCCESS" || state === "QUERY_STATE_FAILED")
    throw declaredError("QueryRunInvalidStateToCancel", { state });
  // A canceled run refuses the event and stays as it is, so a repeated call succeeds.
  if (withdraw(run, withdrawal)) run.apply({ type: "canceled" });
  const queryRun = toQueryRun(run.record, principal.clock.now());
  // Published client libraries read `canceledQueryRun` or `queryRun`.
  return { canceledQueryRun: queryRun, queryRun };
}

interface Withdrawal {
  readonly queryRunId: string;
  /** Request to withdraw. @default all requests of the run */
  readonly queryRequestId?: string | undefined;
}

/**
 * Returns the run and the request that a call names. Returns undefined for an idempotency key whose `createQueryRun`
 * call has not arrived or is no longer remembered, and stores the key.
 */
function withdrawalOf(params: CancelQueryRunParams, namespace: NamespaceState): Withdrawal | undefined {
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

/** Withdraws one request, or all; returns true if no request waits for the run any more. */
function withdraw({ requests, withdrawn }: MockRun, { queryRunId, queryRequestId }: Withdrawal): boolean {
  if (queryRequestId === undefined) return true;
  if (!requests.has(queryRequestId)) throw declaredError("QueryRunNotFound", { queryRunId });
  withdrawn.add(queryRequestId);
  return withdrawn.size === requests.size;
}
