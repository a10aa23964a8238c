import type { QueryRun, QueryRunState } from "@quern/protocol/types";
import type { Client } from "../wire/client.ts";
import { type DeadlineOptions, withDeadline } from "../wire/deadline.ts";
import { watchRun } from "./poller.ts";

export interface StateOptions {
  /** Called with the state the run is first seen in, and each one after it. */
  readonly onState?: ((state: QueryRunState, queryRunId: string) => void) | undefined;
}

export interface WaitForRunOptions extends DeadlineOptions {
  /** The run as far as it is known. */
  readonly known?: QueryRun | undefined;
  /** Called with the run as it is first seen, and whenever its state has changed. */
  readonly onRun?: ((run: QueryRun) => void) | undefined;
}

/**
 * Waits until a run has ended, in whatever way. All waiting runs of a client are polled together. An abort leaves the
 * run as it is.
 * @throws {QuernError} of any kind but `failed` and `canceled`.
 * @see https://github.com/quern-dev/quern/blob/main/docs/reference/methods/get-query-run.md
 */
export function waitForRun(
  client: Client,
  queryRunId: string,
  { known, onRun, ...deadline }: WaitForRunOptions = {},
): Promise<QueryRun> {
  return withDeadline(deadline, (signal) => watchRun(client, queryRunId, known, signal, onRun));
}
