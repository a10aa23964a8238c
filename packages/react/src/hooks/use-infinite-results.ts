"use client";

import type { QuernError, UntypedRow } from "@quern/client";
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { type InfiniteResultsPage, type PageParam, pagesOptions } from "#query-options/infinite-results-options";
import type { RowsQuery } from "#query-options/rows-query";
import type { RunHandle } from "#query-options/run-handle";
import { type InfiniteHookOptions, useHookOptions } from "./hook-options.ts";
import { useReadInput, useRunHandle } from "./use-run-handle.ts";

/**
 * Runs a query and reads its rows page by page. When `filters`, `sortBy` or `pageSize` change, the hook reads the same run again and
 * returns the old rows until the new ones arrive.
 * @param options Options of TanStack Query; `element` and `priority` order the panels in the queue of a `QuernDashboard`.
 */
export function useInfiniteResults<Row = UntypedRow, Data = InfiniteData<InfiniteResultsPage<Row>, PageParam | null>>(
  query: RowsQuery<Row>,
  options: InfiniteHookOptions<Row, Data> = {},
): UseInfiniteQueryResult<Data, QuernError> & RunHandle {
  const input = useReadInput(query, options);
  const derived = pagesOptions(input);
  return useRunHandle(
    useInfiniteQuery<InfiniteResultsPage<Row>, QuernError, Data, readonly unknown[], PageParam | null>(
      useHookOptions(derived, options),
    ),
    derived.queryKey,
    input,
  );
}
