export {
  ApiError,
  ERROR_TYPES,
  type QueryError,
  QueryRunExecutionError,
  QueryRunRateLimitError,
  QueryRunTimeoutError,
  ServerError,
  UnexpectedSDKError,
  UserError,
} from "./flipside/errors.ts";
export { Flipside } from "./flipside/flipside.ts";
export type { Filter, SortBy } from "./flipside/loose-types.ts";
export type { Query } from "./flipside/query.ts";
export type { QueryIntegration, QueryRun, ResultsRequest, SqlStatement } from "./flipside/query-integration.ts";
export type { Cell, PageRequest, PageStats, QueryResultRecord } from "./flipside/result-rows.ts";
export type { QueryResultSet } from "./flipside/result-set.ts";
export {
  mapApiQueryStateToStatus,
  type QueryStatus,
  QueryStatusError,
  QueryStatusFinished,
  QueryStatusPending,
} from "./flipside/result-set.ts";
export type { QueryRunStats } from "./flipside/run-stats.ts";
