import { InvalidParams } from "@quern/json-rpc/envelope";
import type { CreateQueryRunParams, CreateQueryRunResult } from "@quern/protocol/types";
import { createQueryRun } from "../generated/methods.ts";
import type { Client } from "../wire/client.ts";
import { abortError, hasCode, MaxConcurrentQueries } from "../wire/quern-error.ts";
import { cancel, ignore, withdraw } from "./withdrawal.ts";

/** What a run is made from: the interface's six members, and the parameters of the statement. */
export type CreateOptions = Omit<CreateQueryRunParams, "idempotencyKey" | "waitSeconds">;

const firstWaitMs = 250;
const longestWaitMs = 4000;

/**
 * Creates a run; at the limit of unfinished runs it retries until the signal is aborted. An abort withdraws the request
 * unless the run has ended; an unanswered create is withdrawn by its key.
 */
export function createRun(
  client: Client,
  request: CreateOptions,
  signal: AbortSignal,
  isOver?: () => boolean,
): Promise<CreateQueryRunResult> {
  return new Promise((resolve, reject) => {
    const creating = createInTurn(client, request, signal);
    creating.then(resolve, reject);
    signal.addEventListener("abort", () => {
      reject(abortError(signal.reason));
      if (!isOver?.()) creating.then((created) => withdraw(client, created)).catch(ignore);
    });
  });
}

/** Sends the key that makes the call repeatable, until the service turns out not to echo it. */
async function createInTurn(
  client: Client,
  { sql, parameters, resultTTLHours = 1, maxAgeMinutes = 0, tags = {}, dataSource, dataProvider }: CreateOptions,
  signal: AbortSignal,
): Promise<CreateQueryRunResult> {
  const { server } = client;
  const { crypto } = globalThis; // Node 18 has no global `crypto`: the key is unique there, but can be guessed.
  const key = (crypto?.getRandomValues(new Uint32Array(4)) ?? Array.from({ length: 4 }, Math.random)).join("-");
  let isKeyed = server.keys !== false;
  for (let waitMs = firstWaitMs; ; ) {
    try {
      // The interface says that a client sends all six; JSON leaves out what is undefined.
      const params = { sql, resultTTLHours, maxAgeMinutes, tags, dataSource, dataProvider, parameters };
      /** Whether the service has withdrawn the create. */
      let withdrawn: Promise<boolean> | undefined;
      // Withdraws a create that is not answered yet, since a page that is left never receives the answer. A service without
      // withdrawals by key gets one by id later.
      const kept = () => {
        if (!isKeyed) return;
        withdrawn ??= cancel(client, { idempotencyKey: key }).then(
          () => true,
          () => false,
        );
      };
      const options = { signal, kept, once: !server.keys };
      const created = await createQueryRun(client, isKeyed ? { ...params, idempotencyKey: key } : params, options);
      server.keys = isKeyed && created?.queryRequest?.idempotencyKey === key;
      if (await withdrawn) throw abortError(signal.reason);
      return created;
    } catch (error) {
      if (hasCode(error, MaxConcurrentQueries)) {
        await client.sleep(waitMs * (0.5 + Math.random()), signal);
        waitMs = Math.min(longestWaitMs, waitMs * 2);
      } else if (isKeyed && !server.keys && hasCode(error, InvalidParams)) isKeyed = false;
      else throw error;
    }
  }
}
