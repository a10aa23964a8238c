import type { QueryRun } from "@quern/protocol/types";
import { openResult, type QueryResult } from "../result/query-result.ts";
import { checkFormat, type PageOptions } from "../result/result-pages.ts";
import { type CreateOptions, createRun } from "../run/create-run.ts";
import { isFinal } from "../run/run-state.ts";
import type { StateOptions } from "../run/wait-for-run.ts";
import { runIdOf } from "../run/withdrawal.ts";
import type { Client } from "../wire/client.ts";
import { type DeadlineOptions, withDeadline } from "../wire/deadline.ts";

/** What to run, how fresh it must be, and how its result is read. */
export interface Query extends CreateOptions, PageOptions {}

export interface QueryOptions extends DeadlineOptions, StateOptions {}

/** Longest time a query may take by default, in milliseconds. */
const defaultTimeoutMs = 20 * 60_000;

/**
 * Runs a query: creates the run, waits until it has ended, fetches the first page of its result.
 *
 * An abort or the deadline (`timeoutMs`, 20 minutes by default) withdraws the request, and the service stops the run
 * once nobody else waits for it.
 * @throws {QuernError} of any kind: `failed` with the reason of the run, `canceled` where someone stopped it.
 * @see https://github.com/quern-dev/quern/blob/main/docs/reference/methods/create-query-run.md
 */
export function query(
  client: Client,
  request: Query,
  { timeoutMs = defaultTimeoutMs, signal, onState }: QueryOptions = {},
): Promise<QueryResult> {
  return withDeadline({ timeoutMs, signal }, async (signal) => {
    let isOver = false;
    checkFormat(request);
    const created = await createRun(client, request, signal, () => isOver);
    const queryRunId = runIdOf(created);
    const onRun = ({ state }: QueryRun) => {
      isOver = isFinal(state);
      onState?.(state, queryRunId);
    };
    return openResult(client, queryRunId, created.queryRun, request, signal, onRun);
  });
}

/**
 * Takes a run up again by its id: waits until it has ended and fetches the first page of its result. An abort leaves
 * the run as it is.
 * @throws {QuernError} as `query` does.
 */
export function resumeQuery(
  client: Client,
  queryRunId: string,
  { timeoutMs = defaultTimeoutMs, signal, onState, ...options }: PageOptions & QueryOptions = {},
): Promise<QueryResult> {
  return withDeadline({ timeoutMs, signal }, async (signal) => {
    const onRun = ({ state }: QueryRun) => onState?.(state, queryRunId);
    return openResult(client, queryRunId, undefined, options, signal, onRun);
  });
}
