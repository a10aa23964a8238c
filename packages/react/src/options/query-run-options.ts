import { type Client, type QuernError, type QueryRun, waitForRun } from "@quern/client";
import { queryOptions } from "@tanstack/react-query";
import { methodKey } from "./query-key.ts";
import type { TypedQuery } from "./typed-query.ts";

/** A run as it goes along: its data is there from the first look, and is fetching until the run has ended. */
export function queryRunOptions(client: Client, queryRunId: string): TypedQuery<QueryRun> {
  return queryOptions<QueryRun, QuernError>({
    queryKey: methodKey(client, "run", queryRunId),
    queryFn: ({ signal, client: queryClient, queryKey }) =>
      waitForRun(client, queryRunId, {
        signal,
        known: queryClient.getQueryData(queryKey),
        onRun: (run) => queryClient.setQueryData<QueryRun>(queryKey, run),
      }),
    // What a cache brings along may go on; a run that is known to have ended costs no request.
    staleTime: 0,
    retry: false,
  });
}
