import { InvalidParams } from "@quern/json-rpc/envelope";
import type { MaxConcurrentQueriesError } from "@quern/protocol/errors";
import type { CreateQueryRunParams, CreateQueryRunResult } from "@quern/protocol/types";
import type { Client } from "./client.ts";
import { createQueryRun } from "./generated/methods.ts";
import { hasCode, QuernError } from "./quern-error.ts";

const MaxConcurrentQueries: MaxConcurrentQueriesError["code"] = -32171;
const firstWaitMs = 250;
const longestWaitMs = 4000;

/**
 * Creates a run; at the limit of unfinished runs it waits for its turn until the signal is aborted. It sends the key that
 * makes the call repeatable, until the service turns out not to know that member.
 */
export async function createRun(
  client: Client,
  { sql, parameters, resultTTLHours = 1, maxAgeMinutes = 0, tags = {}, dataSource, dataProvider }: CreateQueryRunParams,
  signal: AbortSignal,
): Promise<CreateQueryRunResult> {
  const { server } = client;
  const idempotencyKey = crypto.getRandomValues(new Uint32Array(4)).join("-");
  // The interface says that a client sends all six; JSON leaves out a source that is not given.
  const params = { sql, resultTTLHours, maxAgeMinutes, tags, dataSource, dataProvider, parameters };
  let extras = server.extras !== false;
  for (let waitMs = firstWaitMs; ; ) {
    try {
      const options = { signal, kept: true, once: !extras || !server.keys };
      const created = await createQueryRun(client, extras ? { ...params, idempotencyKey } : params, options);
      server.extras = extras;
      if (extras) server.keys = created?.queryRequest?.idempotencyKey === idempotencyKey;
      return created;
    } catch (error) {
      if (hasCode(error, MaxConcurrentQueries)) {
        await client.sleep(waitMs * (0.5 + Math.random()), signal);
        waitMs = Math.min(longestWaitMs, waitMs * 2);
      } else if (extras && !server.extras && hasCode(error, InvalidParams)) extras = false;
      else throw error;
    }
  }
}

/** A service that keeps to the interface says no more than `queryRequest.queryRunId`. */
export function runIdOf(created: Partial<CreateQueryRunResult>): string {
  const id = created?.queryRequest?.queryRunId ?? created?.queryRun?.id;
  if (id) return id;
  throw new QuernError("protocol", "the answer has no queryRequest.queryRunId", { method: "createQueryRun" });
}
