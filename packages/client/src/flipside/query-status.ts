import { getQueryRunFinalStates, getQueryRunSuccesses } from "../generated/lifecycle.ts";

export const QueryStatusFinished = "finished";
export const QueryStatusPending = "pending";
export const QueryStatusError = "error";
export type QueryStatus = typeof QueryStatusFinished | typeof QueryStatusPending | typeof QueryStatusError;

/** A state that is not known is in progress. */
export function mapApiQueryStateToStatus(state: string): QueryStatus {
  if (getQueryRunSuccesses.includes(state)) return QueryStatusFinished;
  return getQueryRunFinalStates.includes(state) ? QueryStatusError : QueryStatusPending;
}
