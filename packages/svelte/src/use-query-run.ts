import type { QuernError, QueryRun } from "@quern/client";
import { type CreateQueryResult, createQuery, useQueryClient } from "@tanstack/svelte-query";
import { withDefaults } from "#query-options/hook-options";
import { queryRunOptions } from "#query-options/query-run-options";
import { useClient } from "./client-context.ts";
import type { HookOptions } from "./hook-options.ts";

/** Polls a run until it has ended. */
export function useQueryRun<Data = QueryRun>(
  queryRunId: () => string,
  options: () => HookOptions<QueryRun, Data> = () => ({}),
): CreateQueryResult<Data, QuernError> {
  const client = useClient();
  const queryClient = useQueryClient();
  // A dehydrated run that was still running is polled further, even if the defaults of the `QueryClient` count it as fresh.
  return createQuery<QueryRun, QuernError, Data, readonly unknown[]>(() =>
    withDefaults(queryClient, queryRunOptions(client, queryRunId()), { staleTime: 0, ...options() }),
  );
}
