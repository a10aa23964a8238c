import type { CreateQueryRunParams, CreateQueryRunResult, QueryRun } from "@quern/protocol/types";
import type { Client } from "./client.ts";
import { createRun, runIdOf } from "./create-run.ts";
import { type DeadlineOptions, startDeadline, withDeadline } from "./deadline.ts";
import { isFinal } from "./poller.ts";
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
  return withDeadline(options, async (signal) => {
    const created = await seenThrough(createRun(client, request, signal), signal, (late) => {
      if (!isEnded(late)) withdraw(client, late).catch(ignore);
    });
    return startedQuery(client, request, created);
  });
}

function startedQuery<Row>(
  client: Client,
  request: ResultOptions<Row>,
  created: CreateQueryRunResult,
): StartedQuery<Row> {
  const queryRunId = runIdOf(created);
  /** Whether there is nothing left to withdraw. */
  let done = isEnded(created);

  async function endedRun(signal: AbortSignal, { onState }: StateOptions): Promise<QueryRun> {
    const onRun = ({ state }: QueryRun) => onState?.(state, queryRunId);
    try {
      const run = await waitForRun(client, queryRunId, { signal, onRun, known: created.queryRun });
      done = true;
      return run;
    } catch (error) {
      if (signal.aborted) cancel().catch(ignore);
      throw error;
    }
  }

  async function cancel() {
    done = true;
    await withdraw(client, created);
  }

  return {
    queryRunId,
    queryRequestId: created.queryRequest?.id,
    cancel,
    result: (options = {}) =>
      withDeadline(options, async (signal) => {
        const run = successOf(await endedRun(signal, options), queryRunId);
        return openResult(client, run, queryRunId, request, signal);
      }),
    async [Symbol.asyncDispose]() {
      if (!done) await cancel().catch(ignore);
    },
  };
}

function isEnded({ queryRun }: Partial<CreateQueryRunResult>): boolean {
  return queryRun !== undefined && isFinal(queryRun.state);
}

function ignore() {}

/** Waits for `work` until the signal is aborted; what it then still brings goes to `onLate`. */
function seenThrough<T>(work: Promise<T>, signal: AbortSignal, onLate: (late: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject);
    const end = startDeadline({ signal }, (error) => {
      reject(error);
      work.then(onLate, ignore);
    });
    work.finally(end).catch(ignore);
  });
}
