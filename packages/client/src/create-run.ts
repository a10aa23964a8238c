import { InvalidParams } from "@quern/json-rpc/envelope";
import type { MaxConcurrentQueriesError } from "@quern/protocol/errors";
import type { CreateQueryRunParams, CreateQueryRunResult } from "@quern/protocol/types";
import type { Client } from "./client.ts";
import { pause } from "./deadline.ts";
import { createQueryRun } from "./generated/methods.ts";
import { abortError, hasCode, QuernError } from "./quern-error.ts";

const MaxConcurrentQueries: MaxConcurrentQueriesError["code"] = -32171;
const firstWaitMs = 250;
const longestWaitMs = 4000;

/** Creates a run; at the limit of unfinished runs it waits for its turn until the signal is aborted. */
export async function createRun(
  client: Client,
  { sql, parameters, resultTTLHours = 1, maxAgeMinutes = 0, tags = {}, dataSource, dataProvider }: CreateQueryRunParams,
  signal: AbortSignal,
): Promise<CreateQueryRunResult> {
  // The interface says that a client sends all six; JSON leaves out a source that is not given.
  const params = { sql, resultTTLHours, maxAgeMinutes, tags, dataSource, dataProvider, parameters };
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    try {
      return await create(client, params, signal);
    } catch (error) {
      if (!hasCode(error, MaxConcurrentQueries)) throw error;
      await pause(waitMs * (0.5 + Math.random()), signal);
      if (signal.aborted) throw abortError(signal.reason);
    }
  }
}

/** Sends the key that makes the call repeatable, until the service turns out not to know that member. */
async function create(
  client: Client,
  params: CreateQueryRunParams,
  signal: AbortSignal,
): Promise<CreateQueryRunResult> {
  const { server } = client;
  const options = { signal, kept: true, once: !server.keys };
  if (server.extras !== false) {
    const idempotencyKey = crypto.getRandomValues(new Uint32Array(4)).join("-");
    try {
      const result = await createQueryRun(client, { ...params, idempotencyKey }, options);
      server.extras = true;
      server.keys = result.queryRequest?.idempotencyKey === idempotencyKey;
      return result;
    } catch (error) {
      if (server.extras || !hasCode(error, InvalidParams)) throw error;
    }
  }
  const result = await createQueryRun(client, params, { ...options, once: true });
  server.extras = false;
  return result;
}

/** A service that keeps to the interface says no more than `queryRequest.queryRunId`. */
export function runIdOf({ queryRequest, queryRun }: Partial<CreateQueryRunResult>): string {
  const id = queryRequest?.queryRunId ?? queryRun?.id;
  if (id === undefined) throw new QuernError("protocol", "createQueryRun: the answer has no queryRequest.queryRunId");
  return id;
}
