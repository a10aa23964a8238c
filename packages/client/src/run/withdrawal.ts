import { InvalidParams } from "@quern/json-rpc/envelope";
import type { CreateQueryRunResult } from "@quern/protocol/types";
import { cancelQueryRun } from "../generated/methods.ts";
import type { Client } from "../wire/client.ts";
import { hasCode, QuernError } from "../wire/quern-error.ts";

/** Leaving a page is a reason to withdraw. */
const options = { timeoutMs: 10_000, keepalive: true };

/**
 * Withdraws a create that is not answered yet, since a page that is left never receives the answer.
 * @returns True if the service has done so. A service without withdrawals by key gets one by id later.
 */
export function withdrawKey(client: Client, idempotencyKey: string): Promise<boolean> {
  return cancelQueryRun(client, { idempotencyKey }, options).then(
    () => true,
    () => false,
  );
}

/**
 * Takes a request back. A service that knows no requests can only cancel the run for all: that is asked of it where the
 * run is ours, not where we joined one.
 */
export async function withdraw(client: Client, created: Partial<CreateQueryRunResult>): Promise<void> {
  const queryRunId = runIdOf(created);
  const { id: queryRequestId, triggeredQueryRun } = created.queryRequest ?? {};
  try {
    await cancelQueryRun(client, { queryRunId, queryRequestId }, options);
  } catch (error) {
    if (!hasCode(error, InvalidParams) || queryRequestId === undefined) throw error;
    if (triggeredQueryRun !== false) await cancelQueryRun(client, { queryRunId }, options);
  }
}

/** A service that keeps to the interface says no more than `queryRequest.queryRunId`. */
export function runIdOf(created: Partial<CreateQueryRunResult>): string {
  const id = created?.queryRequest?.queryRunId ?? created?.queryRun?.id;
  if (id) return id;
  throw new QuernError("protocol", "the answer has no queryRequest.queryRunId", { method: "createQueryRun" });
}

/** For what is tried and not waited for. */
export function ignore(): void {}
