import type { Query, UntypedRow } from "@quern/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { infiniteResultsOptions } from "./infinite-results-options.ts";
import { useClient } from "./quern-context.ts";

/** Runs a query and reads its rows page by page. */
export function useInfiniteResults<Row = UntypedRow>(query: Query<Row>) {
  return useInfiniteQuery(infiniteResultsOptions(useClient(), query));
}
