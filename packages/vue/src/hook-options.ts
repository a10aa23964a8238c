import { type InfiniteData, useQueryClient } from "@tanstack/vue-query";
import { type MaybeRefOrGetter, toValue } from "vue";
import { type InfiniteOverrides, type QueryOverrides, withDefaults } from "#query-options/hook-options";
import type { InfiniteResultsPage, PageParam } from "#query-options/infinite-results-options";
import type { Placeholder } from "#query-options/typed-query";
import type { PanelOptions } from "./quern-dashboard.ts";

interface VueOptions<Data> {
  /** The query is fetched while this is true. */
  readonly enabled?: MaybeRefOrGetter<boolean>;
  /** Returns data to show until that of the query arrives, from the data that was shown before. */
  readonly placeholderData?: Placeholder<Data>;
}

type Replaced = "enabled" | "initialData" | "placeholderData";

/** Options of TanStack Query that a composable takes: `enabled`, `select`, `placeholderData`, `refetchInterval` and so on. */
export type HookOptions<Data, Selected = Data> = Omit<QueryOverrides<Data, Selected>, Replaced> & VueOptions<Data>;

/** Options of `useQueryResults`: the options of TanStack Query, and `element` and `priority` of the panel. */
export type ResultsHookOptions<Data, Selected = Data> = HookOptions<Data, Selected> & PanelOptions;

/** Options of `useInfiniteResults`: the options of TanStack Query, and `element` and `priority` of the panel. */
export type InfiniteHookOptions<Row, Selected> = Omit<InfiniteOverrides<Row, Selected>, Replaced> &
  VueOptions<InfiniteData<InfiniteResultsPage<Row>, PageParam | null>> &
  PanelOptions;

/** Returns a getter of the options for TanStack Query. It is called again when its reactive values change. */
export function useHookOptions<
  Options extends { readonly queryKey: readonly unknown[]; readonly queryFn?: unknown },
  Overrides extends object,
>(options: () => Options, overrides: MaybeRefOrGetter<Overrides>) {
  const queryClient = useQueryClient();
  return () => ({
    ...withDefaults(queryClient, options(), toValue(overrides)),
    // Results are never changed in place, so their rows need not be reactive.
    shallow: true,
    // The cache would keep the element, which only the queue of the panel needs.
    element: undefined,
  });
}
