import type { QueryRun, QueryRunState } from "@quern/protocol/types";
import type { Client } from "./client.ts";
import { type DeadlineOptions, startDeadline } from "./deadline.ts";
import { getQueryRunSuccesses } from "./generated/lifecycle.ts";
import { isFinal, pollerOf } from "./poller.ts";
import { QuernError } from "./quern-error.ts";

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
 * @see docs/reference/methods/get-query-run.md
 */
export function waitForRun(
  client: Client,
  queryRunId: string,
  { known, onRun, ...deadline }: WatchOptions = {},
): Promise<QueryRun> {
  return new Promise((resolve, reject) => {
    let state: QueryRunState | undefined;
    let ended = false;
    const endDeadline = startDeadline(deadline, fail);
    let leave = () => {};
    function end() {
      ended = true;
      endDeadline();
      leave();
    }
    function see(run: QueryRun) {
      try {
        if (run.state !== state) onRun?.(run);
      } catch (error) {
        fail(error);
        return;
      }
      state = run.state;
      if (!isFinal(run.state)) return;
      end();
      resolve(run);
    }
    function fail(error: unknown) {
      end();
      reject(error instanceof QuernError ? Object.assign(error, { queryRunId }) : error);
    }
    if (known) see(known);
    if (!ended) leave = pollerOf(client).watch(queryRunId, { onRun: see, fail }, known !== undefined);
  });
}

/**
 * The run, if it succeeded.
 * @throws {QuernError} `failed` or `canceled`.
 */
export function successOf(run: QueryRun, queryRunId: string): QueryRun {
  const { state, errorName, errorMessage, errorData } = run;
  if (getQueryRunSuccesses.includes(state)) return run;
  if (state === canceled) throw new QuernError("canceled", `query run ${queryRunId} was canceled`, { queryRunId });
  const details = { queryRunId, data: errorData, errorName: errorName ?? undefined };
  throw new QuernError("failed", errorMessage ?? `query run ${queryRunId} failed`, details);
}
