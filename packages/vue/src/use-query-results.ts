import type { QuernError, UntypedRow } from "@quern/client";
import { type UseQueryReturnType, useQuery } from "@tanstack/vue-query";
import type { MaybeRefOrGetter } from "vue";
import { type QueryResults, resultsOptions } from "#query-options/query-results-options";
import type { RowsQuery } from "#query-options/rows-query";
import { type ResultsHookOptions, useHookOptions } from "./hook-options.ts";
import { type RunRefs, useReadInput, useRunHandle } from "./use-run-handle.ts";

/**
 * Runs a query and reads all its rows. When `filters` or `sortBy` change, the composable reads the same run again and
 * returns the old rows until the new ones arrive. `queryResultsOptions` returns the same options for loaders.
 * @param options Options of TanStack Query; `element` and `priority` order the panels in the queue of a `QuernDashboard`.
 */
export function useQueryResults<Row = UntypedRow, Data = QueryResults<Row>>(
  query: MaybeRefOrGetter<RowsQuery<Row>>,
  options: MaybeRefOrGetter<ResultsHookOptions<QueryResults<Row>, Data>> = {},
): UseQueryReturnType<Data, QuernError> & RunRefs {
  const input = useReadInput(query, options, resultsOptions<Row>);
  return useRunHandle(
    useQuery<QueryResults<Row>, QuernError, Data, readonly unknown[]>(useHookOptions(() => input.derived, options)),
    input,
  );
}
