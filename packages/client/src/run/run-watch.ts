import type { QueryRun, QueryRunState } from "@quern/protocol/types";
import { getQueryRunSuccesses } from "../generated/lifecycle.ts";
import type { Client } from "../wire/client.ts";
import { type DeadlineOptions, withDeadline } from "../wire/deadline.ts";
import { QuernError } from "../wire/quern-error.ts";
import { watchOf } from "./poller.ts";

export interface StateOptions {
  /** Told the state the run is first seen in, and each one after it. */
  readonly onState?: ((state: QueryRunState, queryRunId: string) => void) | undefined;
}

export interface WatchOptions extends DeadlineOptions {
  /** The run as far as it is known. */
  readonly known?: QueryRun | undefined;
  /** Told the run as it is first seen, and whenever its state has changed. */
  readonly onRun?: ((run: QueryRun) => void) | undefined;
}

const canceled: QueryRunState = "QUERY_STATE_CANCELED";

/**
 * Waits until a run has ended, in whatever way. All waiting runs of a client are watched together. An abort leaves the
 * run as it is.
 * @throws {QuernError} of any kind but `failed` and `canceled`.
 * @see https://github.com/quern-dev/quern/blob/main/docs/reference/methods/get-query-run.md
 */
export function waitForRun(
  client: Client,
  queryRunId: string,
  { known, onRun, ...deadline }: WatchOptions = {},
): Promise<QueryRun> {
  return withDeadline(deadline, (signal) => watchOf(client)(queryRunId, known, signal, onRun));
}

/**
 * The run, if it succeeded.
 * @throws {QuernError} `failed` or `canceled`.
 */
export function successOf(run: QueryRun, queryRunId: string): QueryRun {
  const { state, errorName, errorMessage, errorData } = run;
  if (getQueryRunSuccesses.includes(state)) return run;
  const kind = state === canceled ? "canceled" : "failed";
  const details = { queryRunId, errorName: errorName ?? undefined, data: errorData ?? undefined };
  throw new QuernError(kind, errorMessage ?? `query run ${queryRunId} ${kind}`, details);
}
