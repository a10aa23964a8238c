import type { QuernError, QueryRun } from "@quern/client";
import { type UseQueryReturnType, useQuery } from "@tanstack/vue-query";
import { type MaybeRefOrGetter, toValue } from "vue";
import { queryRunOptions } from "#query-options/query-run-options";
import { type HookOptions, useHookOptions } from "./hook-options.ts";
import { useClient } from "./quern-provider.ts";

/** Polls a run until it has ended. */
export function useQueryRun<Data = QueryRun>(
  queryRunId: MaybeRefOrGetter<string>,
  options: MaybeRefOrGetter<HookOptions<QueryRun, Data>> = {},
): UseQueryReturnType<Data, QuernError> {
  const client = useClient();
  // A dehydrated run that was still running is polled further, even if the defaults of the `QueryClient` count it as fresh.
  return useQuery<QueryRun, QuernError, Data, readonly unknown[]>(
    useHookOptions(
      () => queryRunOptions(client, toValue(queryRunId)),
      () => ({ staleTime: 0, ...toValue(options) }),
    ),
  );
}
