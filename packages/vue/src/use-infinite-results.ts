import type { QuernError, UntypedRow } from "@quern/client";
import { type InfiniteData, type UseInfiniteQueryReturnType, useInfiniteQuery } from "@tanstack/vue-query";
import type { MaybeRefOrGetter } from "vue";
import { type InfiniteResultsPage, type PageParam, pagesOptions } from "#query-options/infinite-results-options";
import type { RowsQuery } from "#query-options/rows-query";
import { type InfiniteHookOptions, useHookOptions } from "./hook-options.ts";
import { type RunRefs, useReadInput, useRunHandle } from "./use-run-handle.ts";

/**
 * Runs a query and reads its rows page by page. When `filters`, `sortBy` or `pageSize` change, the composable reads the
 * same run again and returns the old rows until the new ones arrive.
 * @param options Options of TanStack Query; `element` and `priority` order the panels in the queue of a `QuernDashboard`.
 */
export function useInfiniteResults<Row = UntypedRow, Data = InfiniteData<InfiniteResultsPage<Row>, PageParam | null>>(
  query: MaybeRefOrGetter<RowsQuery<Row>>,
  options: MaybeRefOrGetter<InfiniteHookOptions<Row, Data>> = {},
): UseInfiniteQueryReturnType<Data, QuernError> & RunRefs {
  const input = useReadInput(query, options, pagesOptions<Row>);
  return useRunHandle(
    useInfiniteQuery<InfiniteResultsPage<Row>, QuernError, Data, readonly unknown[], PageParam | null>(
      useHookOptions(() => input.derived, options),
    ),
    input,
  );
}
