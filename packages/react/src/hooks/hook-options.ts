import type { QuernError } from "@quern/client";
import {
  type QueryKey,
  type UnusedSkipTokenInfiniteOptions,
  type UnusedSkipTokenOptions,
  useQueryClient,
} from "@tanstack/react-query";
import type { InfiniteResultsPage, PageParam } from "../options/infinite-results-options.ts";
import type { PanelOptions } from "../options/panel-queue.ts";

/** Options of TanStack Query that a hook takes: `enabled`, `select`, `placeholderData`, `refetchInterval`, `gcTime`, `retry` and so on. */
export type HookOptions<Data, Selected = Data> = Omit<
  UnusedSkipTokenOptions<Data, QuernError, Selected, readonly unknown[]>,
  "queryKey" | "queryFn"
>;

/** Options of `useQueryResults`: the options of TanStack Query, and `element` and `priority` of the panel. */
export type ResultsHookOptions<Data, Selected = Data> = HookOptions<Data, Selected> & PanelOptions;

/** Options of `useInfiniteResults`: the options of TanStack Query, and `element` and `priority` of the panel. */
export type InfiniteHookOptions<Row, Selected> = Omit<
  UnusedSkipTokenInfiniteOptions<InfiniteResultsPage<Row>, QuernError, Selected, readonly unknown[], PageParam | null>,
  "queryKey" | "queryFn" | "initialPageParam" | "getNextPageParam" | "getPreviousPageParam"
> &
  PanelOptions;

/**
 * Merges options: options of the hook call override defaults of the `QueryClient`, and these override the options
 * derived from the query, except its `queryFn`.
 */
export function useHookOptions<
  Options extends { readonly queryKey: QueryKey; readonly queryFn?: unknown },
  Overrides extends object,
>(options: Options, overrides: Overrides): Omit<Options, keyof Overrides> & Overrides {
  const queryClient = useQueryClient();
  const { queryKey, queryFn } = options;
  const defaults: object = { ...queryClient.getDefaultOptions().queries, ...queryClient.getQueryDefaults(queryKey) };
  return { ...options, ...defaults, queryFn, ...overrides };
}
