import type { QueryRun as ServiceRun, SqlStatement as ServiceStatement } from "@quern/protocol/types";
import { getQueryRun, getSqlStatement } from "../generated/methods.ts";
import { resumeQuery } from "../query/query.ts";
import { startQuery } from "../query/started-query.ts";
import type { QueryResult } from "../result/query-result.ts";
import type { PageOptions } from "../result/result-pages.ts";
import { heldCreateSeconds } from "../run/create-run.ts";
import { cancel } from "../run/withdrawal.ts";
import type { Client } from "../wire/client.ts";
import { withDeadline } from "../wire/deadline.ts";
import { flipsideError, isQueryError } from "./errors.ts";
import type { Untyped, Writable } from "./loose-types.ts";
import { type Filter, filtersOf, type SortBy } from "./loose-types.ts";
import { createOptions, type Query } from "./query.ts";
import { openingRows, type PageRequest, readRows } from "./result-rows.ts";
import { errorSet, type QueryResultSet, resultSet } from "./result-set.ts";

/** Run as the service reports it. `totalSize` is a string of digits, although the old client typed it as a number. */
export interface QueryRun extends Writable<Omit<ServiceRun, "errorData" | "totalSize">> {
  errorData: Untyped;
  totalSize: Untyped;
}

/** Statement as the service reports it. */
export interface SqlStatement extends Writable<Omit<ServiceStatement, "columnMetadata">> {
  columnMetadata: { types: string[]; columns: string[]; colTypeMap: Record<string, string> } | null;
}

export interface ResultsRequest extends PageRequest {
  readonly queryRunId: string;
  readonly filters?: readonly Filter[] | undefined;
  readonly sortBy?: readonly SortBy[] | undefined;
}

/**
 * Methods of `Flipside.query`. `run` and `getQueryResults` return an error of the query in the member `error` and throw any other
 * error; the other methods throw all errors.
 */
export interface QueryIntegration {
  /**
   * Runs a query and reads one page of its result, or the whole result without `pageNumber` and `pageSize`. While the
   * caller has the maximum number of unfinished runs, it retries until `timeoutMinutes` have passed.
   */
  run(query: Query): Promise<QueryResultSet>;
  /**
   * Reads one page of the filtered and sorted result of a run, or the whole result without `pageNumber` and `pageSize`.
   * Waits up to 20 minutes for the end of the run and for its rows.
   */
  getQueryResults(request: ResultsRequest): Promise<QueryResultSet>;
  /**
   * Creates a run. While the caller has the maximum number of unfinished runs, it retries until `timeoutMinutes` have
   * passed.
   */
  createQueryRun(query: Query): Promise<QueryRun>;
  getQueryRun(request: { readonly queryRunId: string }): Promise<QueryRun>;
  getSqlStatement(request: { readonly sqlStatementId: string }): Promise<SqlStatement>;
  cancelQueryRun(request: { readonly queryRunId: string }): Promise<QueryRun>;
}

/** Result of `cancelQueryRun` for a run id. */
interface CanceledRun {
  readonly canceledQueryRun: QueryRun;
}

const defaultTimeoutMs = 20 * 60_000;
const timeoutMsOf = ({ timeoutMinutes }: Query) => (timeoutMinutes || 0) * 60_000 || defaultTimeoutMs;

export function createQueryIntegration(client: Client): QueryIntegration {
  const runOf = async (queryRunId: string) => {
    const { queryRun, redirectedToQueryRun } = await getQueryRun(client, { queryRunId });
    return redirectedToQueryRun ?? queryRun;
  };

  /** Opens a result and reads the requested rows within one deadline. */
  async function resultOf(
    request: PageRequest & PageOptions,
    timeoutMs: number,
    open: (options: PageOptions, signal: AbortSignal) => Promise<QueryResult>,
  ): Promise<QueryResultSet> {
    const { filters, sortBy } = request;
    try {
      return await withDeadline({ timeoutMs }, async (signal) => {
        const result = await open({ pageSize: openingRows(request), filters, sortBy }, signal);
        return resultSet(result, await readRows(client, result, request, signal));
      });
    } catch (cause) {
      const error = flipsideError(cause);
      if (isQueryError(error)) return errorSet(error);
      throw error;
    }
  }

  return {
    run: (query) => {
      const page = { pageNumber: query.pageNumber || undefined, pageSize: query.pageSize || undefined };
      return resultOf(page, timeoutMsOf(query), async (options, signal) => {
        const request = { ...createOptions(query), ...options };
        // The error of a short time limit has the id of the run, which a held create does not report in time.
        const waitSeconds = timeoutMsOf(query) > 2_000 * heldCreateSeconds ? heldCreateSeconds : 0;
        const started = await startQuery(client, request, { signal, waitSeconds });
        return started.result({ signal });
      });
    },
    getQueryResults: ({ queryRunId, filters, ...request }) =>
      resultOf({ ...request, filters: filtersOf(filters) }, defaultTimeoutMs, (options, signal) =>
        resumeQuery(client, queryRunId, { ...options, signal }),
      ),
    createQueryRun: (query) =>
      withOldErrors(async () => {
        const { queryRunId } = await startQuery(client, createOptions(query), { timeoutMs: timeoutMsOf(query) });
        return runOf(queryRunId);
      }),
    getQueryRun: ({ queryRunId }) => withOldErrors(() => runOf(queryRunId)),
    getSqlStatement: (request) =>
      withOldErrors(async () => (await getSqlStatement(client, request)).sqlStatement as SqlStatement),
    cancelQueryRun: (request) =>
      withOldErrors(async () => ((await cancel(client, request, {})) as CanceledRun).canceledQueryRun),
  };
}

async function withOldErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw flipsideError(error);
  }
}
