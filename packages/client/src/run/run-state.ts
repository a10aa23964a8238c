import * as descriptors from "@quern/protocol/methods";
import type { QueryRun, QueryRunState } from "@quern/protocol/types";
import { QuernError } from "../wire/quern-error.ts";

const canceled: QueryRunState = "QUERY_STATE_CANCELED";

/** Tells whether a run in this state has ended. An unknown state counts as in progress. */
export function isFinal(state: string): boolean {
  return Object.hasOwn(descriptors.getQueryRun.final, state);
}

/**
 * Returns the run if it succeeded.
 * @throws {QuernError} `failed` or `canceled`.
 */
export function requireSuccess(run: QueryRun, queryRunId: string): QueryRun {
  const { state, errorName, errorMessage, errorData } = run;
  if (descriptors.getQueryRun.final[state] === true) return run;
  const kind = state === canceled ? "canceled" : "failed";
  const details = { queryRunId, errorName: errorName ?? undefined, data: errorData ?? undefined };
  throw new QuernError(kind, errorMessage ?? `query run ${queryRunId} ${kind}`, details);
}
