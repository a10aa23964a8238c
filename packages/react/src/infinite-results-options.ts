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
  return infiniteQueryOptions<
    RowPage<Row>,
    QuernError,
    InfiniteData<RowPage<Row>, PageParam | null>,
    readonly unknown[],
    PageParam | null
  >({
    queryKey: methodKey(client, "pages", queryIdentity(request)),
    initialPageParam: null,
    queryFn: ({ pageParam, signal }) => {
      if (pageParam) return readPage(client, pageParam.queryRunId, { ...request, ...pageParam, pageSize, signal });
      const run = () => query(client, { ...request, pageSize }, { signal });
      return turn(async () => firstPage(await run(), request), signal);
    },
    getNextPageParam: ({ queryRunId, nextOffset }) =>
      nextOffset === null ? undefined : { queryRunId, offset: nextOffset },
    ...freshness(request),
  });
}
