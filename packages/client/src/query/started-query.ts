/// <reference lib="esnext.disposable" preserve="true" />
import type { CreateQueryRunResult, QueryRun } from "@quern/protocol/types";
import { openResult, type QueryResult } from "../result/query-result.ts";
import { firstPageOf, type PageOptions } from "../result/result-pages.ts";
import { type CreateOptions, createRun } from "../run/create-run.ts";
import type { RunWatch } from "../run/poller.ts";
import { isFinal } from "../run/run-state.ts";
import type { StateOptions } from "../run/wait-for-run.ts";
import { ignore, runIdOf, withdraw } from "../run/withdrawal.ts";
import type { Client } from "../wire/client.ts";
import { type DeadlineOptions, withDeadline } from "../wire/deadline.ts";
import { hasCode, QueryRunInvalidStateToCancel } from "../wire/quern-error.ts";

/** A run that was created. The end of its `await using` block withdraws the request, unless the run has ended. */
export interface StartedQuery extends AsyncDisposable {
  readonly queryRunId: string;
  /**
   * Id of the request that `startQuery` has made for the run. Its withdrawal does not stop a run that other requests
   * share. Undefined if the service does not report it.
   */
  readonly queryRequestId: string | undefined;
  /** The run, if it is an existing one that `maxAgeMinutes` accepts; undefined if the request has created the run. */
  readonly reusedRun: QueryRun | undefined;
  /**
   * Waits until the run has ended and opens its result. Before the end of the run, an abort or the deadline withdraws
   * the request.
   */
  result(options?: DeadlineOptions & StateOptions): Promise<QueryResult>;
  /** Withdraws the request. Does nothing once the run has ended. */
  cancel(): Promise<void>;
}

/** Options of `result` as this package uses it. */
export interface FollowedOptions extends DeadlineOptions, StateOptions, Pick<RunWatch, "followed"> {}

/** Options of `startQuery`. */
export interface StartOptions extends DeadlineOptions {
  /**
   * Seconds for which the service may hold the response to the create. If the run ends in that time, the response has
   * its first page, and `result()` sends no request. `startQuery` resolves only then. At most 50.
   * @default 0
   */
  readonly waitSeconds?: number | undefined;
}

/**
 * Creates a run and, without `waitSeconds`, does not wait for its end.
 * While the caller has the maximum number of unfinished runs, it retries until the signal or the deadline ends it.
 * @throws {QuernError} of any kind but `failed` and `canceled`.
 */
export async function startQuery(
  client: Client,
  request: CreateOptions & PageOptions,
  { waitSeconds, ...deadline }: StartOptions = {},
): Promise<StartedQuery> {
  if (waitSeconds !== undefined && !(waitSeconds >= 0 && waitSeconds <= 50))
    throw new TypeError(`Invalid waitSeconds: must be a number from 0 to 50, got ${waitSeconds}.`);
  const wait = { waitSeconds, results: firstPageOf(request) };
  const created = await withDeadline(deadline, (signal) => createRun(client, request, signal, wait));
  return startedQuery(client, request, created);
}

function startedQuery(client: Client, request: PageOptions, created: CreateQueryRunResult): StartedQuery {
  const queryRunId = runIdOf(created);
  const { queryRequest, queryRun: known } = created;
  /** True when there is nothing to withdraw: the run has ended, or a withdrawal was sent. */
  let done = isFinal(known?.state);

  async function cancel() {
    if (done) return;
    done = true;
    try {
      await withdraw(client, created);
    } catch (error) {
      // The run ended before this client polled its final state.
      if (hasCode(error, QueryRunInvalidStateToCancel)) return;
      done = false;
      throw error;
    }
  }

  return {
    queryRunId,
    queryRequestId: queryRequest?.id,
    reusedRun: queryRequest?.triggeredQueryRun === false ? known : undefined,
    cancel,
    result: ({ onState, followed, ...deadline }: FollowedOptions = {}) =>
      withDeadline(deadline, async (signal) => {
        const onRun = ({ state }: QueryRun) => {
          done ||= isFinal(state);
          onState?.(state, queryRunId);
        };
        try {
          return await openResult(client, queryRunId, created, request, signal, { onRun, followed });
        } catch (error) {
          if (signal.aborted) cancel().catch(ignore);
          throw error;
        }
      }),
    [Symbol.asyncDispose]: () => cancel().catch(ignore),
  };
}
