import { InvalidParams } from "@quern/json-rpc/envelope";
import type { CreateQueryRunResult } from "@quern/protocol/types";
import type { Client } from "./client.ts";
import { cancelQueryRun } from "./generated/methods.ts";
import { hasCode, QuernError } from "./quern-error.ts";

/**
 * Withdraws a create that may be unanswered: by its idempotency key at once, since a page that is left never sees the
 * answer. A service that does not know withdrawals by key gets one by id once it has answered the create.
 * @param key Undefined where the create is answered, or has no key.
 */
export async function withdrawCreate(
  client: Client,
  key: string | undefined,
  creating: Promise<CreateQueryRunResult>,
): Promise<void> {
  try {
    if (key) return void (await cancelQueryRun(client, { idempotencyKey: key }, options));
  } catch {}
  await withdraw(client, await creating);
}

/** Leaving a page is a reason to withdraw. */
const options = { timeoutMs: 10_000, keepalive: true };

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
