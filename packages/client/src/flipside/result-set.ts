import type { QueryResult } from "../result/query-result.ts";
import { isFinal, isSuccess } from "../run/run-state.ts";
import type { QueryError, ServerError, UnexpectedSDKError, UserError } from "./errors.ts";
import type { Untyped } from "./loose-types.ts";
import { type PageStats, type QueryResultRecord, type ResultRows, recordsOf } from "./result-rows.ts";
import { type QueryRunStats, runStats } from "./run-stats.ts";

export const QueryStatusFinished = "finished";
export const QueryStatusPending = "pending";
export const QueryStatusError = "error";
export type QueryStatus = typeof QueryStatusFinished | typeof QueryStatusPending | typeof QueryStatusError;

/** A state that is not known is in progress. */
export function mapApiQueryStateToStatus(state: string): QueryStatus {
  if (isSuccess(state)) return QueryStatusFinished;
  return isFinal(state) ? QueryStatusError : QueryStatusPending;
}

/** Rows and what is known of them, or `error`. */
export interface QueryResultSet {
  /** The run, also of a query that went wrong; null where there is none. */
  queryId: string | null;
  /** Null where `error` is set, as in the old client. */
  status: QueryStatus | null;
  columns: string[] | null;
  columnTypes: string[] | null;
  /** Rows as arrays in column order; untyped, as in the old client. */
  rows: Untyped[] | null;
  runStats: QueryRunStats | null;
  /** Rows as objects, by lower-case names; a repeated name gets `_2`. */
  records: QueryResultRecord[] | null;
  /** Where the rows lie in the result. A whole result is one page. */
  page: PageStats | null;
  /** What went wrong with the query, a `QueryError`; the type has every class that a program may ask for. */
  error: QueryError | ServerError | UnexpectedSDKError | UserError | null;
}

export function resultSet(result: QueryResult, { rows, page }: ResultRows): QueryResultSet {
  return {
    queryId: result.queryRunId,
    status: mapApiQueryStateToStatus(result.queryRun.state),
    columns: [...result.columnNames],
    columnTypes: [...result.columnTypes],
    rows,
    runStats: runStats(result.queryRun),
    records: recordsOf(result.columnNames, rows),
    page,
    error: null,
  };
}

export function errorSet(error: QueryError): QueryResultSet {
  const rest = {
    status: null,
    columns: null,
    columnTypes: null,
    rows: null,
    runStats: null,
    records: null,
    page: null,
  };
  return { queryId: error.queryRunId ?? null, ...rest, error };
}
