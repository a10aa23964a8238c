"use client";

import type { QuernError, UntypedRow } from "@quern/client";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type QueryResults, resultsOptions } from "#query-options/query-results-options";
import type { RowsQuery } from "#query-options/rows-query";
import type { RunHandle } from "#query-options/run-handle";
import { type ResultsHookOptions, useHookOptions } from "./hook-options.ts";
import { useReadInput, useRunHandle } from "./use-run-handle.ts";

/**
 * Runs a query and reads all its rows. When `filters` or `sortBy` change, the hook reads the same run again and returns the old
 * rows until the new ones arrive. `queryResultsOptions` returns the same options for loaders and other hooks.
 * @param options Options of TanStack Query; `element` and `priority` order the panels in the queue of a `QuernDashboard`.
 */
export function useQueryResults<Row = UntypedRow, Data = QueryResults<Row>>(
  query: RowsQuery<Row>,
  options: ResultsHookOptions<QueryResults<Row>, Data> = {},
): UseQueryResult<Data, QuernError> & RunHandle {
  const input = useReadInput(query, options);
  const derived = resultsOptions(input);
  return useRunHandle(
    useQuery<QueryResults<Row>, QuernError, Data, readonly unknown[]>(useHookOptions(derived, options)),
    derived.queryKey,
    input,
  );
}
