"use client";

import type { QuernError, UntypedRow } from "@quern/client";
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { type PageParam, pagesOptions, type ResultsPage } from "../options/infinite-results-options.ts";
import type { RowsQuery } from "../options/rows-query.ts";
import { type PagesHookOptions, useHookOptions } from "./hook-options.ts";
import { useReading } from "./use-reading.ts";
import { type RunHandle, useRunHandle } from "./use-run-handle.ts";

/**
 * Runs a query and reads its rows page by page. Another `filters`, `sortBy` or `pageSize` reads the run that is shown, and the old
 * rows stay until the new ones come.
 * @param options Options of TanStack Query; `element` and `priority` order the panels in the queue of a `QuernDashboard`.
 */
export function useInfiniteResults<Row = UntypedRow, Data = InfiniteData<ResultsPage<Row>, PageParam | null>>(
  query: RowsQuery<Row>,
  options: PagesHookOptions<Row, Data> = {},
): UseInfiniteQueryResult<Data, QuernError> & RunHandle {
  const reading = useReading(query, options);
  const derived = pagesOptions(reading);
  return useRunHandle(
    useInfiniteQuery<ResultsPage<Row>, QuernError, Data, readonly unknown[], PageParam | null>(
      useHookOptions(derived, options),
    ),
    derived.queryKey,
    reading,
  );
}
