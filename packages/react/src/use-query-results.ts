"use client";

import type { UntypedRow } from "@quern/client";
import { useQuery } from "@tanstack/react-query";
import { useClient } from "./quern-context.ts";
import { useTurn } from "./quern-dashboard.ts";
import { queryResultsOptions } from "./query-results-options.ts";
import type { RowsQuery } from "./rows-query.ts";
import type { Place } from "./turns.ts";
import { useKeptSchema } from "./use-kept-schema.ts";

/**
 * Runs a query and reads all its rows; see `queryResultsOptions` for use beside this hook.
 * @param place Where it stands in the queue of its `QuernDashboard`.
 */
export function useQueryResults<Row = UntypedRow>(query: RowsQuery<Row>, place?: Place) {
  return useQuery(queryResultsOptions(useClient(), useKeptSchema(query), useTurn(place)));
}
