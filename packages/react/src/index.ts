export * from "#query-options/index";
export type { HookOptions, InfiniteHookOptions, ResultsHookOptions } from "./hooks/hook-options.ts";
export { QuernProvider, useClient } from "./hooks/quern-context.ts";
export { QuernDashboard, type QuernDashboardProps, usePanelQueue } from "./hooks/quern-dashboard.ts";
export { useInfiniteResults } from "./hooks/use-infinite-results.ts";
export { useMethod } from "./hooks/use-method.ts";
export { useQueryResults } from "./hooks/use-query-results.ts";
export { useQueryRun } from "./hooks/use-query-run.ts";
