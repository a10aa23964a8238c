import type { QuernError } from "@quern/client";
import {
  type QueryKey,
  type UnusedSkipTokenInfiniteOptions,
  type UnusedSkipTokenOptions,
  useQueryClient,
} from "@tanstack/react-query";
import type { PageParam, ResultsPage } from "../options/infinite-results-options.ts";
import type { Place } from "../options/turns.ts";

/** Options of TanStack Query that a hook takes: `enabled`, `select`, `placeholderData`, `refetchInterval`, `gcTime`, `retry` and so on. */
export type HookOptions<Data, Selected = Data> = Omit<
  UnusedSkipTokenOptions<Data, QuernError, Selected, readonly unknown[]>,
  "queryKey" | "queryFn"
>;

/** Options of `useQueryResults`: those of TanStack Query, and `element` and `priority` of the panel. */
export type ResultsHookOptions<Data, Selected = Data> = HookOptions<Data, Selected> & Place;

/** Options of `useInfiniteResults`: those of TanStack Query, and `element` and `priority` of the panel. */
export type PagesHookOptions<Row, Selected> = Omit<
  UnusedSkipTokenInfiniteOptions<ResultsPage<Row>, QuernError, Selected, readonly unknown[], PageParam | null>,
  "queryKey" | "queryFn" | "initialPageParam" | "getNextPageParam" | "getPreviousPageParam"
> &
  Place;

/** Merges options: those of the call win over defaults of the `QueryClient`, and these over what follows from the query. */
export function useHookOptions<
  Options extends { readonly queryKey: QueryKey; readonly queryFn?: unknown },
  Own extends object,
>(options: Options, own: Own): Omit<Options, keyof Own> & Own {
  const queryClient = useQueryClient();
  const { queryKey, queryFn } = options;
  const defaults: object = { ...queryClient.getDefaultOptions().queries, ...queryClient.getQueryDefaults(queryKey) };
  return { ...options, ...defaults, queryFn, ...own };
}
