import type { QuernError, UntypedRow } from "@quern/client";
import {
  type CreateInfiniteQueryResult,
  createInfiniteQuery,
  type InfiniteData,
  useQueryClient,
} from "@tanstack/svelte-query";
import { withDefaults } from "#query-options/hook-options";
import { type InfiniteResultsPage, type PageParam, pagesOptions } from "#query-options/infinite-results-options";
import type { RowsQuery } from "#query-options/rows-query";
import type { RunHandle } from "#query-options/run-handle";
import type { InfiniteHookOptions } from "./hook-options.ts";
import { useReadInput, useRunHandle } from "./use-run-handle.svelte.ts";

/**
 * Runs a query and reads its rows page by page. When `filters`, `sortBy` or `pageSize` change, the function reads the
 * same run again and returns the old rows until the new ones arrive.
 * @param options Options of TanStack Query; `element` and `priority` order the panels in the queue of a dashboard.
 */
export function useInfiniteResults<Row = UntypedRow, Data = InfiniteData<InfiniteResultsPage<Row>, PageParam | null>>(
  query: () => RowsQuery<Row>,
  options: () => InfiniteHookOptions<Row, Data> = () => ({}),
): CreateInfiniteQueryResult<Data, QuernError> & RunHandle {
  const queryClient = useQueryClient();
  const input = useReadInput(query, options, pagesOptions<Row>);
  return useRunHandle(
    createInfiniteQuery<InfiniteResultsPage<Row>, QuernError, Data, readonly unknown[], PageParam | null>(() =>
      withDefaults(queryClient, input.derived, options()),
    ),
    input,
  );
}
