import { InvalidParams } from "@quern/json-rpc/envelope";
import type { CreateQueryRunParams, CreateQueryRunResult } from "@quern/protocol/types";
import { uniqueKey } from "#transport";
import { createQueryRun } from "../generated/methods.ts";
import type { Client, DetectingClient } from "../wire/client.ts";
import { afterMicrotask, isWorkerd } from "../wire/deadline.ts";
import { abortError, hasCode, MaxConcurrentQueries, type QuernError } from "../wire/quern-error.ts";
import { cancel, ignore, withdraw } from "./withdrawal.ts";

/** Parameters of `createQueryRun` that callers of `query` and `startQuery` set. The client sets the idempotency key. */
export type CreateOptions = Omit<CreateQueryRunParams, "idempotencyKey" | "waitSeconds" | "results">;

/** Members of a create that request a wait for the end of the run, and its first page. */
export type CreateWait = Pick<CreateQueryRunParams, "waitSeconds" | "results">;

/** Seconds for which the service may hold a create. The id and the state of the run are not known before its answer. */
export const heldCreateSeconds = 1;

/** Maximum number of groups of creates that the service may hold at a time, so that connections of a browser stay free. */
const maxHeldGroups = 2;

/**
 * Creates a run. While the caller has the maximum number of unfinished runs, it retries until the signal is aborted. An
 * abort withdraws the request unless `isOver` returns true, because the run has ended; an unanswered create is
 * withdrawn by its idempotency key.
 * @param wait Requests a wait and the first page. Not sent to a service that refuses these members; `waitSeconds` is not
 *   sent either while {@link maxHeldGroups} requests wait.
 */
export function createRun(
  client: Client,
  request: CreateOptions,
  signal: AbortSignal,
  wait?: CreateWait,
  isOver?: () => boolean,
): Promise<CreateQueryRunResult> {
  return new Promise((resolve, reject) => {
    const create = createWithRetries(client, request, signal, wait);
    create.then(resolve, reject);
    signal.addEventListener("abort", () => {
      reject(abortError(signal.reason));
      if (!isOver?.()) create.then((created) => withdraw(client, created)).catch(ignore);
    });
  });
}

/**
 * Tells whether InvalidParams may concern a member that the client adds, which a service may not know: it names such a
 * member, or none.
 */
function mayRefuseOptional({ data }: QuernError): boolean {
  const { issues } = (data ?? {}) as { readonly issues?: unknown }; // checked below
  if (!Array.isArray(issues) || issues.length === 0) return true;
  return issues.some((issue) => /waitSeconds|results|idempotencyKey/.test(JSON.stringify(issue)));
}

/**
 * Creates a run with an idempotency key, which makes the call repeatable. A call that the service refuses with
 * InvalidParams is sent again without the request for the first page, then without the key.
 */
async function createWithRetries(
  client: Client,
  // Literals, because the table of defaults would make each bundle larger; a test compares them with the document.
  {
    sql,
    parameters,
    uploads,
    resultTTLHours = 1,
    maxAgeMinutes = 0,
    tags = {},
    dataSource,
    dataProvider,
  }: CreateOptions,
  signal: AbortSignal,
  { waitSeconds = 0, results }: CreateWait = {},
): Promise<CreateQueryRunResult> {
  const { server } = client as DetectingClient; // made by `createClient`
  const key = uniqueKey();
  let isKeyed = server.idempotency !== false;
  let mayWait = waitSeconds > 0 && server.firstPage !== false;
  const longestWaitMs = 4000;
  for (let waitMs = 250; ; ) {
    try {
      const { heldGroups = 0, isGrouping = false } = server;
      const opensGroup = mayWait && !isGrouping && (heldGroups < maxHeldGroups || isWorkerd());
      if (opensGroup) {
        server.heldGroups = heldGroups + 1;
        server.isGrouping = server.batch;
        afterMicrotask(() => {
          server.isGrouping = false;
        });
      }
      const isHeld = opensGroup || (mayWait && isGrouping);
      const params = {
        // A service may require these members, so defaults are sent too. JSON omits those that are undefined.
        sql,
        parameters,
        uploads,
        resultTTLHours,
        maxAgeMinutes,
        tags,
        dataSource,
        dataProvider,
        ...(isKeyed && { idempotencyKey: key }),
        ...(isHeld && { waitSeconds }),
        ...(mayWait && { results }),
      };
      /** Resolves with true if the service has withdrawn the create by its key. */
      let withdrawn: Promise<boolean> | undefined;
      // Withdraws an unanswered create, because a page that is closed never receives its answer. If the service cannot withdraw
      // by key, `createRun` withdraws by id once the answer is there.
      const onAbort = () => {
        if (!isKeyed) return;
        withdrawn ??= cancel(client, { idempotencyKey: key }).then(
          () => true,
          () => false,
        );
      };
      const timeoutMs = isHeld ? client.timeoutMs + waitSeconds * 1000 : undefined;
      const options = { signal, onAbort, timeoutMs, unbatched: false, once: !server.idempotency };
      const created = await createQueryRun(client, params, options).finally(() => {
        if (opensGroup) server.heldGroups = (server.heldGroups ?? 1) - 1;
      });
      if (waitSeconds > 0 && (results || !mayWait)) server.firstPage = mayWait;
      server.idempotency = isKeyed && created?.queryRequest?.idempotencyKey === key;
      if (await withdrawn) throw abortError(signal.reason);
      return created;
    } catch (error) {
      if (hasCode(error, MaxConcurrentQueries)) {
        await client.sleep(waitMs * (0.5 + Math.random()), signal);
        waitMs = Math.min(longestWaitMs, waitMs * 2);
      } else if (!hasCode(error, InvalidParams) || !mayRefuseOptional(error)) throw error;
      else if (mayWait && !server.firstPage) mayWait = false;
      else if (isKeyed && !server.idempotency) isKeyed = false;
      else throw error;
    }
  }
}
