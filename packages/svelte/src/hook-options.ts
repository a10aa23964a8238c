import type { InfiniteOverrides, QueryOverrides } from "#query-options/hook-options";
import type { PanelOptions } from "./dashboard-context.svelte.ts";

/** Options of TanStack Query that a function takes: `enabled`, `select`, `placeholderData`, `refetchInterval` and so on. */
export type HookOptions<Data, Selected = Data> = QueryOverrides<Data, Selected>;

/** Options of `useQueryResults`: the options of TanStack Query, and `element` and `priority` of the panel. */
export type ResultsHookOptions<Data, Selected = Data> = HookOptions<Data, Selected> & PanelOptions;

/** Options of `useInfiniteResults`: the options of TanStack Query, and `element` and `priority` of the panel. */
export type InfiniteHookOptions<Row, Selected> = InfiniteOverrides<Row, Selected> & PanelOptions;
