"use client";

import type { QuernError, UntypedRow } from "@quern/client";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type QueryResults, resultsOptions } from "../options/query-results-options.ts";
import type { RowsQuery } from "../options/rows-query.ts";
import { type ResultsHookOptions, useHookOptions } from "./hook-options.ts";
import { useReading } from "./use-reading.ts";
import { type RunHandle, useRunHandle } from "./use-run-handle.ts";

/**
 * Runs a query and reads all its rows; see `queryResultsOptions` for use beside this hook. Another `filters` or `sortBy` reads the
 * run that is shown, and the old rows stay until the new ones come.
 * @param options Options of TanStack Query; `element` and `priority` order the panels in the queue of a `QuernDashboard`.
 */
export function useQueryResults<Row = UntypedRow, Data = QueryResults<Row>>(
  query: RowsQuery<Row>,
  options: ResultsHookOptions<QueryResults<Row>, Data> = {},
): UseQueryResult<Data, QuernError> & RunHandle {
  const reading = useReading(query, options);
  const derived = resultsOptions(reading);
  return useRunHandle(
    useQuery<QueryResults<Row>, QuernError, Data, readonly unknown[]>(useHookOptions(derived, options)),
    derived.queryKey,
    reading,
  );
}
