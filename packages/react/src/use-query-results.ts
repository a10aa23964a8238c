import type { Query, UntypedRow } from "@quern/client";
import { useQuery } from "@tanstack/react-query";
import { useClient } from "./quern-context.ts";
import { queryResultsOptions } from "./query-results-options.ts";

/** Runs a query and reads all its rows; see `queryResultsOptions` for use beside this hook. */
export function useQueryResults<Row = UntypedRow>(query: Query<Row>) {
  return useQuery(queryResultsOptions(useClient(), query));
}
