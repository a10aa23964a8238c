import type { Client } from "./client.ts";
import { type DeadlineOptions, withDeadline } from "./deadline.ts";
import { openResult, type QueryResult } from "./query-result.ts";
import type { ResultOptions } from "./result-pages.ts";
import type { UntypedRow } from "./row.ts";
import { type StateOptions, successOf, waitForRun } from "./run-watch.ts";
import { type CreateOptions, startQuery } from "./started-query.ts";

/** What to run, how fresh it must be, and how its result is read. */
export interface Query<Row = UntypedRow> extends CreateOptions, ResultOptions<Row> {}

export interface QueryOptions extends DeadlineOptions, StateOptions {}

/** Longest time a query may take by default, in milliseconds. */
const defaultTimeoutMs = 20 * 60 * 1000;

/**
 * Runs a query: creates the run, waits until it has ended, fetches the first page of its result.
 *
 * An abort or the deadline (`timeoutMs`, 20 minutes by default) withdraws the request, and the service stops the run
 * once nobody else waits for it.
 * @throws {QuernError} of any kind: `failed` with the reason of the run, `canceled` where someone stopped it.
 * @see docs/reference/methods/create-query-run.md
 */
export function query<Row = UntypedRow>(
  client: Client,
  request: Query<Row>,
  { timeoutMs = defaultTimeoutMs, signal, onState }: QueryOptions = {},
): Promise<QueryResult<Row>> {
  return withDeadline({ timeoutMs, signal }, async (signal) => {
    const started = await startQuery(client, request, { signal });
    return started.result({ signal, onState });
  });
}

/**
 * Takes a run up again by its id: waits until it has ended and fetches the first page of its result. An abort leaves
 * the run as it is.
 * @throws {QuernError} as `query` does.
 */
export function resumeQuery<Row = UntypedRow>(
  client: Client,
  queryRunId: string,
  { timeoutMs = defaultTimeoutMs, signal, onState, ...options }: ResultOptions<Row> & QueryOptions = {},
): Promise<QueryResult<Row>> {
  return withDeadline({ timeoutMs, signal }, async (signal) => {
    const onRun = ({ state }: { state: string }) => onState?.(state, queryRunId);
    const queryRun = successOf(await waitForRun(client, queryRunId, { signal, onRun }), queryRunId);
    return openResult(client, queryRun, queryRunId, options, signal);
  });
}
