import type { QueryRun } from "@quern/protocol/types";
import { openResult, type QueryResult } from "../result/query-result.ts";
import { firstPageOf, type PageOptions } from "../result/result-pages.ts";
import { type CreateOptions, createRun, heldCreateSeconds } from "../run/create-run.ts";
import { isFinal } from "../run/run-state.ts";
import type { StateOptions } from "../run/wait-for-run.ts";
import { runIdOf } from "../run/withdrawal.ts";
import type { Client } from "../wire/client.ts";
import { type DeadlineOptions, withDeadline } from "../wire/deadline.ts";

/** A statement with its parameters, the options of its run, and the options of its result pages. */
export interface Query<Row = unknown> extends CreateOptions, PageOptions<Row> {}

/** Options of `query` and `resumeQuery`. `timeoutMs` is 1,200,000 (20 minutes) by default. */
export interface QueryOptions extends DeadlineOptions, StateOptions {}

const defaultTimeoutMs = 1_200_000;

/**
 * Runs a query: creates the run, waits until it has ended and fetches the first page of its result. A service that
 * supports it answers a short query with one response: it holds the create for up to a second. Before the end of
 * the run, an abort or the deadline withdraws the request; the service stops the run when all its requests have been
 * withdrawn.
 * @throws {QuernError} of any kind: `failed` with the reason if the run failed, `canceled` if it was canceled.
 * @throws {TypeError} if the format is neither `csv` nor `json`.
 * @see https://github.com/quern-dev/quern/blob/main/docs/reference/methods/create-query-run.md
 */
export function query(
  client: Client,
  request: Query,
  { timeoutMs = defaultTimeoutMs, signal, onState }: QueryOptions = {},
): Promise<QueryResult> {
  return withDeadline({ timeoutMs, signal }, async (signal) => {
    let isOver = false;
    const wait = { waitSeconds: heldCreateSeconds, results: firstPageOf(request) };
    const created = await createRun(client, request, signal, wait, () => isOver);
    const queryRunId = runIdOf(created);
    const onRun = ({ state }: QueryRun) => {
      isOver = isFinal(state);
      onState?.(state, queryRunId);
    };
    return openResult(client, queryRunId, created, request, signal, { onRun });
  });
}

/**
 * Resumes a run by its id: waits until it has ended and fetches the first page of its result. An abort or the deadline
 * does not stop the run.
 * @throws {QuernError} as `query` does.
 */
export function resumeQuery(
  client: Client,
  queryRunId: string,
  { timeoutMs = defaultTimeoutMs, signal, onState, ...options }: PageOptions & QueryOptions = {},
): Promise<QueryResult> {
  return withDeadline({ timeoutMs, signal }, async (signal) => {
    const onRun = ({ state }: QueryRun) => onState?.(state, queryRunId);
    return openResult(client, queryRunId, {}, options, signal, { onRun });
  });
}
