"use client";

import type { UntypedRow } from "@quern/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { infiniteResultsOptions } from "./infinite-results-options.ts";
import { useClient } from "./quern-context.ts";
import { useTurn } from "./quern-dashboard.ts";
import type { RowsQuery } from "./rows-query.ts";
import type { Place } from "./turns.ts";
import { useKeptSchema } from "./use-kept-schema.ts";

/**
 * Runs a query and reads its rows page by page.
 * @param place Where it stands in the queue of its `QuernDashboard`.
 */
export function useInfiniteResults<Row = UntypedRow>(query: RowsQuery<Row>, place?: Place) {
  return useInfiniteQuery(infiniteResultsOptions(useClient(), useKeptSchema(query), useTurn(place)));
}
