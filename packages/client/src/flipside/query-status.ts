import { isFinal, isSuccess } from "../run/run-state.ts";

export const QueryStatusFinished = "finished";
export const QueryStatusPending = "pending";
export const QueryStatusError = "error";
export type QueryStatus = typeof QueryStatusFinished | typeof QueryStatusPending | typeof QueryStatusError;

/** A state that is not known is in progress. */
export function mapApiQueryStateToStatus(state: string): QueryStatus {
  if (isSuccess(state)) return QueryStatusFinished;
  return isFinal(state) ? QueryStatusError : QueryStatusPending;
}
