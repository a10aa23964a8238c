import { type Client, type QueryRun, waitForRun } from "@quern/client";
import { methodKey } from "./query-key.ts";
import { type TypedQuery, typedQuery } from "./typed-query.ts";

/** Returns options that poll a run until it has ended. The data is set after the first poll; `isFetching` is true until the end. */
export function queryRunOptions(client: Client, queryRunId: string): TypedQuery<QueryRun> {
  return typedQuery<QueryRun>({
    queryKey: methodKey(client, "run", queryRunId),
    queryFn: ({ signal, client: queryClient, queryKey }) =>
      waitForRun(client, queryRunId, {
        signal,
        known: queryClient.getQueryData(queryKey),
        onRun: (run) => queryClient.setQueryData<QueryRun>(queryKey, run),
      }),
    // A dehydrated run may still be running; a run that is known to have ended costs no request.
    staleTime: 0,
    retry: false,
  });
}
