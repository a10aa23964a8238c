import {
  type Client,
  firstPage,
  type QuernError,
  type RowPage,
  type RunOfRows,
  readPage,
  type UntypedRow,
} from "@quern/client";
import { type InfiniteData, infiniteQueryOptions } from "@tanstack/react-query";
import { freshness } from "./freshness.ts";
import { cachedQuery, isGone, openRun, type Reading } from "./open-run.ts";
import { statementKey, viewKey } from "./query-key.ts";
import type { RowsQuery } from "./rows-query.ts";
import { atOnce, type Turn } from "./turns.ts";
import type { TypedInfiniteQuery } from "./typed-query.ts";

/** A place in the result of one run. */
export interface PageParam extends RunOfRows {
  readonly offset: number;
  /** Row to stop before; the end of the page by default. */
  readonly end?: number;
}

/** Consecutive rows of a result. Plain data: it can be dehydrated on a server. */
export interface ResultsPage<Row = UntypedRow> extends RowPage<Row>, RunOfRows {}

type Pages<Row> = InfiniteData<ResultsPage<Row>, PageParam | null>;

/**
 * Runs a query and reads its rows page by page, all from the same run; where that has expired, the query runs anew and all
 * pages are read again. Queries that differ only in `filters`, `sortBy` or `pageSize` (1,000 rows by default) read the same run.
 */
export function infiniteResultsOptions<Row = UntypedRow>(
  client: Client,
  request: RowsQuery<Row>,
  turn: Turn = atOnce,
): TypedInfiniteQuery<ResultsPage<Row>, PageParam | null> {
  return pagesOptions({ client, request, turn, statementKey: statementKey(client, request) });
}

export function pagesOptions<Row>(given: Reading<Row>): TypedInfiniteQuery<ResultsPage<Row>, PageParam | null> {
  const { client, statementKey } = given;
  const { pageSize = 1000, filters, sortBy, format } = given.request;
  const request = { ...given.request, pageSize };
  const { queryKey, schemas } = viewKey(statementKey, "pages", request, { filters, sortBy, format, pageSize });
  const reading = { ...given, request, schemas };

  const read = async (place: PageParam, signal: AbortSignal) => ({
    ...(await readPage(client, place.queryRunId, { ...request, ...place, signal })),
    asOf: place.asOf,
  });

  return infiniteQueryOptions<ResultsPage<Row>, QuernError, Pages<Row>, readonly unknown[], PageParam | null>({
    queryKey,
    initialPageParam: null,
    queryFn: async (context) => {
      const { pageParam, signal } = context;
      const query = cachedQuery(context.client, context.queryKey);
      // A refetch begins with the first page that is kept; `maxPages` may have made that a later one.
      const kept = query.state.data as Pages<Row> | undefined; // The data of this query.
      if (pageParam && pageParam !== kept?.pageParams[0]) {
        try {
          return await read(pageParam, signal);
        } catch (error) {
          // Pages of two runs do not fit together: a fetch of all of them, which tells of its own failure, replaces this one.
          if (isGone(error)) query.fetch(undefined, { cancelRefetch: true }).catch(() => {});
          throw error;
        }
      }
      const result = await openRun(reading, context);
      const page = { ...(await firstPage(result, request)), asOf: result.queryRun.endedAt ?? null };
      // A new result may end before the first page that is kept.
      if (!pageParam || pageParam.offset >= (page.rowCount ?? Infinity)) return page;
      return read({ ...pageParam, queryRunId: page.queryRunId, asOf: page.asOf }, signal);
    },
    getNextPageParam: ({ queryRunId, asOf, nextOffset: offset }) =>
      offset === null ? undefined : { queryRunId, asOf, offset },
    getPreviousPageParam: ({ queryRunId, asOf, offset: end }) =>
      end ? { queryRunId, asOf, offset: Math.max(0, end - pageSize), end } : undefined,
    ...freshness(request, queryKey),
  });
}
