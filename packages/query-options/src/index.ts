export * from "./generated/options.ts";
export {
  type InfiniteResultsPage,
  infiniteResultsOptions,
  type PageParam,
} from "./infinite-results-options.ts";
export { type MethodOptions, methodOptions } from "./method-options.ts";
export type { Enqueue, PanelOptions } from "./panel-queue.ts";
export { methodKey, serviceKey, statementKey } from "./query-key.ts";
export { type QueryResults, queryResultsOptions } from "./query-results-options.ts";
export { queryRunOptions } from "./query-run-options.ts";
export type { RowsQuery } from "./rows-query.ts";
export type { QueryPhase, RunHandle } from "./run-handle.ts";
export type { TypedInfiniteQuery, TypedQuery } from "./typed-query.ts";
