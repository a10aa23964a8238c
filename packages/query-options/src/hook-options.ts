import type { QuernError } from "@quern/client";
import type { QueryClient, QueryKey, QueryObserverOptions } from "@tanstack/query-core";
import type { InfiniteResultsPage, PageParam, Pages } from "./infinite-results-options.ts";

/** Options of TanStack Query that a function of a framework takes beside a query: `enabled`, `select`, `refetchInterval` and so on. */
export type QueryOverrides<Data, Selected = Data> = Omit<
  QueryObserverOptions<Data, QuernError, Selected, Data, readonly unknown[]>,
  "queryKey" | "queryFn"
>;

/** Options of TanStack Query that a function of a framework takes beside a query that is read page by page. */
export type InfiniteOverrides<Row, Selected = Pages<Row>> = Omit<
  QueryObserverOptions<
    InfiniteResultsPage<Row>,
    QuernError,
    Selected,
    Pages<Row>,
    readonly unknown[],
    PageParam | null
  >,
  "queryKey" | "queryFn"
>;

/**
 * Merges options: options of the call override defaults of the `QueryClient`, and these override the options derived
 * from the query, except its `queryFn`.
 */
export function withDefaults<
  Options extends { readonly queryKey: QueryKey; readonly queryFn?: unknown },
  Overrides extends object,
>(queryClient: QueryClient, options: Options, overrides: Overrides): Omit<Options, keyof Overrides> & Overrides {
  const defaults: object = {
    ...queryClient.getDefaultOptions().queries,
    ...queryClient.getQueryDefaults(options.queryKey),
  };
  return { ...options, ...defaults, queryFn: options.queryFn, ...overrides };
}
