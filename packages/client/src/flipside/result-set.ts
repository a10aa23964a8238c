import { getQueryRun } from "@quern/protocol/methods";
import type { QueryResult } from "../result/query-result.ts";
import { isFinal } from "../run/run-state.ts";
import type { QueryError, ServerError, UnexpectedSDKError, UserError } from "./errors.ts";
import type { Untyped } from "./loose-types.ts";
import { type PageStats, type QueryResultRecord, type ResultRows, recordsOf } from "./result-rows.ts";
import { type QueryRunStats, runStats } from "./run-stats.ts";

export const QueryStatusFinished = "finished";
export const QueryStatusPending = "pending";
export const QueryStatusError = "error";
export type QueryStatus = typeof QueryStatusFinished | typeof QueryStatusPending | typeof QueryStatusError;

/** Maps the state of a run to the status of the old client. An unknown state counts as `pending`. */
export function mapApiQueryStateToStatus(state: string): QueryStatus {
  if (getQueryRun.final[state] === true) return QueryStatusFinished;
  return isFinal(state) ? QueryStatusError : QueryStatusPending;
}

/** Rows of a result with their metadata, or `error`. */
export interface QueryResultSet {
  /** Id of the run, also of a failed query; null without a run. */
  queryId: string | null;
  /** Null if `error` is set, as in the old client. */
  status: QueryStatus | null;
  columns: string[] | null;
  columnTypes: string[] | null;
  /** Rows as arrays in the order of the columns; untyped, as in the old client. */
  rows: Untyped[] | null;
  runStats: QueryRunStats | null;
  /** Rows as objects by lower-case column name; a repeated name gets a suffix (`_2`, `_3`). */
  records: QueryResultRecord[] | null;
  /** Position of the rows in the result. A whole result is one page. */
  page: PageStats | null;
  /** Error of the query: a `QueryError`. The type also has the other classes, which programs of the old client test for. */
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
