"use client";

import type { QuernError, QueryRun } from "@quern/client";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { queryRunOptions } from "#query-options/query-run-options";
import { type HookOptions, useHookOptions } from "./hook-options.ts";
import { useClient } from "./quern-context.ts";

/** Polls a run until it has ended. */
export function useQueryRun<Data = QueryRun>(
  queryRunId: string,
  options: HookOptions<QueryRun, Data> = {},
): UseQueryResult<Data, QuernError> {
  // A dehydrated run that was still running is polled further, even if the defaults of the `QueryClient` count it as fresh.
  return useQuery<QueryRun, QuernError, Data, readonly unknown[]>(
    useHookOptions(queryRunOptions(useClient(), queryRunId), { staleTime: 0, ...options }),
  );
}
