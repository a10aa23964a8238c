export * from "#query-options/index";
export type { HookOptions, InfiniteHookOptions, ResultsHookOptions } from "./hook-options.ts";
export { type PanelOptions, QuernDashboard, usePanelQueue } from "./quern-dashboard.ts";
export { QuernProvider, useClient } from "./quern-provider.ts";
export { useInfiniteResults } from "./use-infinite-results.ts";
export { useMethod } from "./use-method.ts";
export { useQueryResults } from "./use-query-results.ts";
export { useQueryRun } from "./use-query-run.ts";
export type { RunRefs } from "./use-run-handle.ts";
