export * from "#query-options/index";
export { setClientContext, useClient } from "./client-context.ts";
export { type PanelOptions, setDashboardContext, usePanelQueue } from "./dashboard-context.svelte.ts";
export type { HookOptions, InfiniteHookOptions, ResultsHookOptions } from "./hook-options.ts";
export { useInfiniteResults } from "./use-infinite-results.ts";
export { useMethod } from "./use-method.ts";
export { useQueryResults } from "./use-query-results.ts";
export { useQueryRun } from "./use-query-run.ts";
