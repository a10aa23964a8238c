import { InvalidParams } from "@quern/json-rpc/envelope";
import { createQueryRun } from "@quern/protocol/methods";
import type { CreateQueryRunResult } from "@quern/protocol/types";
import type { CallOptions } from "../wire/call.ts";
import type { Client } from "../wire/client.ts";
import { hasCode, QuernError } from "../wire/quern-error.ts";

/** A run, one request of it, or the create that a key names. */
interface Withdrawn {
  readonly queryRunId?: string;
  readonly queryRequestId?: string | undefined;
  readonly idempotencyKey?: string;
}

/**
 * Calls the method that cancels runs; resolves with undefined where the document has none.
 * @param options By default those of a call that also survives the page, because leaving it is a reason to withdraw.
 */
export async function cancel(
  client: Client,
  params: Withdrawn,
  options: CallOptions = { timeoutMs: 10_000, keepalive: true },
): Promise<unknown> {
  const method = createQueryRun.canceler?.();
  return method && client.call(method, params, options);
}

/**
 * Takes a request back. A service that knows no requests can only cancel the run for all: that is asked of it where the
 * run is ours, not where we joined one.
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

/** A service that keeps to the interface says no more than `queryRequest.queryRunId`. */
export function runIdOf(created: Partial<CreateQueryRunResult>): string {
  const id = created?.queryRequest?.queryRunId ?? created?.queryRun?.id;
  if (id) return id;
  throw new QuernError("protocol", "the answer has no queryRequest.queryRunId", {
    method: createQueryRun.name,
  });
}

/** For what is tried and not waited for. */
export function ignore(): void {}
