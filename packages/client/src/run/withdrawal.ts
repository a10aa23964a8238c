import { InvalidParams } from "@quern/json-rpc/envelope";
import { createQueryRun } from "@quern/protocol/methods";
import type { CreateQueryRunResult } from "@quern/protocol/types";
import type { CallOptions } from "../wire/call.ts";
import type { Client } from "../wire/client.ts";
import { hasCode, QuernError } from "../wire/quern-error.ts";

/** Identifies a run, one of its requests, or a create by its idempotency key. */
interface CancelParams {
  readonly queryRunId?: string;
  readonly queryRequestId?: string | undefined;
  readonly idempotencyKey?: string;
}

/**
 * Calls the method that cancels runs; resolves with undefined if the OpenRPC document declares none.
 * @param options By default `keepalive`, because the browser may be closing the page.
 */
export async function cancel(
  client: Client,
  params: CancelParams,
  options: CallOptions = { timeoutMs: 10_000, keepalive: true },
): Promise<unknown> {
  const method = createQueryRun.canceler?.();
  return method && client.call(method, params, options);
}

/**
 * Withdraws the request that created or joined a run. If the service has not reported the id of the request, the run is
 * canceled for all callers. If it refuses `queryRequestId`, the run is canceled for all callers unless another request
 * created it.
 */
export async function withdraw(client: Client, created: Partial<CreateQueryRunResult>): Promise<void> {
  const queryRunId = runIdOf(created);
  const { id: queryRequestId, triggeredQueryRun } = created.queryRequest ?? {};
  try {
    await cancel(client, { queryRunId, queryRequestId });
  } catch (error) {
    if (!hasCode(error, InvalidParams) || queryRequestId === undefined) throw error;
    if (triggeredQueryRun !== false) await cancel(client, { queryRunId });
  }
}

/**
 * Returns the id of a created run, which a service answers in `queryRequest`, in `queryRun` or in both.
 * @throws {QuernError} `protocol` if the answer has no id.
 */
export function runIdOf(created: Partial<CreateQueryRunResult>): string {
  const id = created?.queryRequest?.queryRunId ?? created?.queryRun?.id;
  if (id) return id;
  throw new QuernError("protocol", "the answer has no queryRequest.queryRunId", { method: createQueryRun.name });
}

/** Error handler of best-effort work: does nothing. */
export function ignore(): void {}
