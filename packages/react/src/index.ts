export * from "./generated/options.ts";
export type { HookOptions, InfiniteHookOptions, ResultsHookOptions } from "./hooks/hook-options.ts";
export { QuernProvider, useClient } from "./hooks/quern-context.ts";
export { QuernDashboard, type QuernDashboardProps, usePanelQueue } from "./hooks/quern-dashboard.ts";
export { useInfiniteResults } from "./hooks/use-infinite-results.ts";
export { useMethod } from "./hooks/use-method.ts";
export { useQueryResults } from "./hooks/use-query-results.ts";
export { useQueryRun } from "./hooks/use-query-run.ts";
export type { QueryPhase, RunHandle } from "./hooks/use-run-handle.ts";
export {
  type InfiniteResultsPage,
  infiniteResultsOptions,
  type PageParam,
} from "./options/infinite-results-options.ts";
export { type MethodOptions, methodOptions } from "./options/method-options.ts";
export type { Enqueue, PanelOptions } from "./options/panel-queue.ts";
export { methodKey, serviceKey, statementKey } from "./options/query-key.ts";
export { type QueryResults, queryResultsOptions } from "./options/query-results-options.ts";
export { queryRunOptions } from "./options/query-run-options.ts";
export type { RowsQuery } from "./options/rows-query.ts";
export type { TypedInfiniteQuery, TypedQuery } from "./options/typed-query.ts";
