import type { CreateQueryRunParams, CreateQueryRunResult } from "@quern/protocol/types";
import type { Client } from "./client.ts";
import { createRun, runIdOf } from "./create-run.ts";
import { type DeadlineOptions, withDeadline } from "./deadline.ts";
import { isFinal } from "./poller.ts";
import { abortError } from "./quern-error.ts";
import { openResult, type QueryResult } from "./query-result.ts";
import type { ResultOptions } from "./result-pages.ts";
import type { UntypedRow } from "./row.ts";
import { type StateOptions, successOf, waitForRun } from "./run-watch.ts";
import { withdraw } from "./withdrawal.ts";

/** What a run is made from: the interface's six members, and the parameters of the statement. */
export type CreateOptions = Omit<CreateQueryRunParams, "idempotencyKey" | "waitSeconds">;

/** A run that was created and is under way. Leaving its `await using` block withdraws it, unless it has ended. */
export interface StartedQuery<Row = UntypedRow> extends AsyncDisposable {
  readonly queryRunId: string;
  /** The request that can be withdrawn without stopping the run for others; undefined where the service does not tell. */
  readonly queryRequestId: string | undefined;
  /** Waits for the end of the run and opens its result. An abort or the deadline withdraws the request. */
  result(options?: DeadlineOptions & StateOptions): Promise<QueryResult<Row>>;
  /** Withdraws the request. */
  cancel(): Promise<void>;
}

/**
 * Creates a run and does not wait for it.
 * @throws {QuernError} of any kind but `failed` and `canceled`.
 */
export function startQuery<Row = UntypedRow>(
  client: Client,
  request: CreateOptions & ResultOptions<Row>,
  options: DeadlineOptions = {},
): Promise<StartedQuery<Row>> {
  return withDeadline(
    options,
    (signal) =>
      new Promise((resolve, reject) => {
        const started = createRun(client, request, signal).then((created) => startedQuery(client, request, created));
        started.then(resolve, reject);
        signal.addEventListener("abort", () => {
          reject(abortError(signal.reason));
          // The create is seen through, so that it can be taken back.
          started.then((late) => late[Symbol.asyncDispose]()).catch(ignore);
        });
      }),
  );
}

function startedQuery<Row>(
  client: Client,
  request: ResultOptions<Row>,
  created: CreateQueryRunResult,
): StartedQuery<Row> {
  const queryRunId = runIdOf(created);
  const { queryRequest, queryRun: known } = created;
  /** Whether there is nothing left to withdraw. */
  let done = known !== undefined && isFinal(known.state);

  async function cancel() {
    done = true;
    await withdraw(client, created);
  }

  return {
    queryRunId,
    queryRequestId: queryRequest?.id,
    cancel,
    result: ({ onState, ...deadline } = {}) =>
      withDeadline(deadline, async (signal) => {
        try {
          const onRun = ({ state }: { state: string }) => onState?.(state, queryRunId);
          const run = await waitForRun(client, queryRunId, { signal, known, onRun });
          done = true;
          return await openResult(client, successOf(run, queryRunId), queryRunId, request, signal);
        } catch (error) {
          if (signal.aborted && !done) cancel().catch(ignore);
          throw error;
        }
      }),
    async [Symbol.asyncDispose]() {
      if (!done) await cancel().catch(ignore);
    },
  };
}

function ignore() {}
