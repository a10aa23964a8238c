import type { QuernError } from "@quern/client";
import {
  type QueryKey,
  type UnusedSkipTokenInfiniteOptions,
  type UnusedSkipTokenOptions,
  useQueryClient,
} from "@tanstack/react-query";
import { withDefaults } from "#query-options/hook-options";
import type { InfiniteResultsPage, PageParam } from "#query-options/infinite-results-options";
import type { PanelOptions } from "#query-options/panel-queue";

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

/** Merges the options of a hook call with the defaults of the `QueryClient` and the options derived from the query. */
export function useHookOptions<Options extends { readonly queryKey: QueryKey }, Overrides extends object>(
  options: Options,
  overrides: Overrides,
) {
  return withDefaults(useQueryClient(), options, overrides);
}
