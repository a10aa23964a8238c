import { type Client, type ResultOrigin, type RowPage, readPage, rowPageOf, type UntypedRow } from "@quern/client";
import type { InfiniteData } from "@tanstack/query-core";
import { freshness } from "./freshness.ts";
import { cachedQuery, isResultGone, openRun, type ReadInput, readInput } from "./open-run.ts";
import type { Enqueue } from "./panel-queue.ts";
import { viewKey } from "./query-key.ts";
import type { RowsQuery } from "./rows-query.ts";
import { type TypedInfiniteQuery, typedInfiniteQuery } from "./typed-query.ts";

/** Position of a page in the result of one run. */
export interface PageParam extends ResultOrigin {
  /** Number of the first row of the page, from 0. */
  readonly offset: number;
  /**
   * Number of the row to stop before, from 0.
   * @default the end of the page
   */
  readonly end?: number;
}

/** Consecutive rows of a result. Plain data: it can be dehydrated on a server. */
export interface InfiniteResultsPage<Row = UntypedRow> extends RowPage<Row>, ResultOrigin {}

/** Pages that the cache holds. */
export type Pages<Row> = InfiniteData<InfiniteResultsPage<Row>, PageParam | null>;

/**
 * Returns options that run a query and read its rows page by page, all from one run. If its result has expired, the query runs
 * anew and all pages are read again. Queries that differ only in `filters`, `sortBy` or `pageSize` (default 1,000 rows) read
 * the same run.
 * @param enqueue Queue of the panel, from `usePanelQueue()`. By default the query starts at once.
 */
export function infiniteResultsOptions<Row = UntypedRow>(
  client: Client,
  request: RowsQuery<Row>,
  enqueue?: Enqueue,
): TypedInfiniteQuery<InfiniteResultsPage<Row>, PageParam | null> {
  return pagesOptions(readInput(client, request, enqueue));
}

export function pagesOptions<Row>(
  input: ReadInput<Row>,
): TypedInfiniteQuery<InfiniteResultsPage<Row>, PageParam | null> {
  const { client, statementKey } = input;
  const { pageSize = 1000, filters, sortBy, format } = input.request;
  const request = { ...input.request, pageSize };
  const queryKey = viewKey(statementKey, "pages", request, { filters, sortBy, format, pageSize });

  const read = async (position: PageParam, signal: AbortSignal) => ({
    ...(await readPage(client, position.queryRunId, { ...request, ...position, signal })),
    asOf: position.asOf,
  });

  return typedInfiniteQuery<InfiniteResultsPage<Row>, PageParam | null>({
    queryKey,
    initialPageParam: null,
    queryFn: async (context) => {
      const { pageParam, signal } = context;
      const query = cachedQuery(context.client, context.queryKey);
      // The cached data of this query has the type that its function returns.
      const cached = query.state.data as Pages<Row> | undefined;
      // A refetch begins with the first cached page, which is not the first page of the result if `maxPages` has
      // dropped that.
      if (pageParam && pageParam !== cached?.pageParams[0]) {
        try {
          return await read(pageParam, signal);
        } catch (error) {
          // Pages of two runs do not fit together: a refetch of all pages replaces this fetch and reports its own failure.
          if (isResultGone(error)) query.fetch(undefined, { cancelRefetch: true }).catch(() => {});
          throw error;
        }
      }
      const result = await openRun({ ...input, request }, context);
      const page = { ...(await rowPageOf(result, request)), asOf: result.queryRun.endedAt ?? null };
      // A new result may end before the position of the first cached page; its own first page is then returned.
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
