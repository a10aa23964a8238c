export type {
  ColumnType,
  Filter,
  QueryRequest,
  QueryRun,
  QueryRunErrorData,
  QueryRunState,
  SortBy,
  SqlStatement,
} from "@quern/protocol/types";
export type { CallOptions } from "./call.ts";
export { type Client, type ClientOptions, createClient, type ServerTraits } from "./client.ts";
export { columnsOf } from "./columns.ts";
export type { CreateOptions } from "./create-run.ts";
export type { DeadlineOptions } from "./deadline.ts";
export { errorName } from "./error-name.ts";
export * from "./generated/methods.ts";
export { isErrorOf, type MethodFunction } from "./method-function.ts";
export { firstPage, type PageRequest, type RowPage, readPage } from "./page-read.ts";
export { type ErrorDetails, type ErrorKind, type MethodError, QuernError } from "./quern-error.ts";
export { type Query, type QueryOptions, query, resumeQuery } from "./query.ts";
export type { QueryResult } from "./query-result.ts";
export type { PageOptions, ResultPage } from "./result-pages.ts";
export { type RowOptions, rowKeysOf, type UntypedRow } from "./row.ts";
export type { RowSchema } from "./row-schema.ts";
export { rowsOf } from "./rows.ts";
export { type StateOptions, type WatchOptions, waitForRun } from "./run-watch.ts";
export { identifier, type SqlFragment, type SqlValue, sql, sqlText } from "./sql.ts";
export { type StartedQuery, startQuery } from "./started-query.ts";
export { type Span, spans, type Tracer } from "./tracer.ts";
export type { Fetch, HttpReply, HttpRequest, Interceptor, Transport } from "./transport.ts";
