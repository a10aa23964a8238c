import type { QuernError, UntypedRow } from "@quern/client";
import { type CreateQueryResult, createQuery, useQueryClient } from "@tanstack/svelte-query";
import { withDefaults } from "#query-options/hook-options";
import { type QueryResults, resultsOptions } from "#query-options/query-results-options";
import type { RowsQuery } from "#query-options/rows-query";
import type { RunHandle } from "#query-options/run-handle";
import type { ResultsHookOptions } from "./hook-options.ts";
import { useReadInput, useRunHandle } from "./use-run-handle.svelte.ts";

/**
 * Runs a query and reads all its rows. When `filters` or `sortBy` change, the function reads the same run again and
 * returns the old rows until the new ones arrive. `queryResultsOptions` returns the same options for loaders.
 * @param options Options of TanStack Query; `element` and `priority` order the panels in the queue of a dashboard.
 */
export function useQueryResults<Row = UntypedRow, Data = QueryResults<Row>>(
  query: () => RowsQuery<Row>,
  options: () => ResultsHookOptions<QueryResults<Row>, Data> = () => ({}),
): CreateQueryResult<Data, QuernError> & RunHandle {
  const queryClient = useQueryClient();
  const input = useReadInput(query, options, resultsOptions<Row>);
  return useRunHandle(
    createQuery<QueryResults<Row>, QuernError, Data, readonly unknown[]>(() =>
      withDefaults(queryClient, input.derived, options()),
    ),
    input,
  );
}
