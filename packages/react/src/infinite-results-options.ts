import { type Client, firstPage, type QuernError, query, type RowPage, readPage, type UntypedRow } from "@quern/client";
import { type InfiniteData, infiniteQueryOptions } from "@tanstack/react-query";
import { freshness } from "./freshness.ts";
import { queryIdentity } from "./query-identity.ts";
import { methodKey } from "./query-key.ts";
import type { RowsQuery } from "./rows-query.ts";
import { atOnce, type Turn } from "./turns.ts";
import type { TypedInfiniteQuery } from "./typed-query.ts";

/** A place in the result of one run. */
export interface PageParam {
  readonly queryRunId: string;
  readonly offset: number;
}

/** Runs a query and reads its rows page by page, all from the same run. `pageSize` is 1,000 rows by default. */
export function infiniteResultsOptions<Row = UntypedRow>(
  client: Client,
  request: RowsQuery<Row>,
  turn: Turn = atOnce,
): TypedInfiniteQuery<RowPage<Row>, PageParam | null> {
  const { pageSize = 1000 } = request;
  type Pages = InfiniteData<RowPage<Row>, PageParam | null>;
  return infiniteQueryOptions<RowPage<Row>, QuernError, Pages, readonly unknown[], PageParam | null>({
    queryKey: methodKey(client, "pages", queryIdentity(request)),
    initialPageParam: null,
    queryFn: ({ pageParam, signal, client: queryClient, queryKey }) => {
      const read = ({ queryRunId, offset }: PageParam) =>
        readPage(client, queryRunId, { ...request, pageSize, offset, signal });
      // Where all are asked for again, the first that is kept is too; `maxPages` may have made that a later one.
      const firstKept = queryClient.getQueryData<Pages>(queryKey)?.pageParams[0];
      if (pageParam && pageParam !== firstKept) return read(pageParam);
      return turn(async () => {
        const page = await firstPage(await query(client, { ...request, pageSize }, { signal }), request);
        return pageParam ? read({ ...page, offset: pageParam.offset }) : page;
      }, signal);
    },
    getNextPageParam: ({ queryRunId, nextOffset }) =>
      nextOffset === null ? undefined : { queryRunId, offset: nextOffset },
    ...freshness(request),
  });
}
