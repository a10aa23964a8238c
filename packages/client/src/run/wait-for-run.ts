import type { QueryRun, QueryRunState } from "@quern/protocol/types";
import type { Client } from "../wire/client.ts";
import { type DeadlineOptions, withDeadline } from "../wire/deadline.ts";
import { pollUntilFinal } from "./poller.ts";

/** Callback for the states of a run. */
export interface StateOptions {
  /** Called with the first known state of the run, and after each change. */
  readonly onState?: ((state: QueryRunState, queryRunId: string) => void) | undefined;
}

/** Options of `waitForRun`. */
export interface WaitForRunOptions extends DeadlineOptions {
  /** The run as last reported. No request is sent if its state is final. */
  readonly known?: QueryRun | undefined;
  /** Called with the run when it is first known, and after each change of its state. */
  readonly onRun?: ((run: QueryRun) => void) | undefined;
}

/**
 * Waits until a run has succeeded, failed or been canceled, and returns it. All unfinished runs of a client are polled together. An
 * abort does not stop the run.
 * @throws {QuernError} of any kind but `failed` and `canceled`.
 * @see https://github.com/quern-dev/quern/blob/main/docs/reference/methods/get-query-run.md
 */
export function waitForRun(
  client: Client,
  queryRunId: string,
  { known, onRun, ...deadline }: WaitForRunOptions = {},
): Promise<QueryRun> {
  return withDeadline(deadline, (signal) => pollUntilFinal(client, queryRunId, known, signal, { onRun }));
}
