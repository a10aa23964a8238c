export type * from "@quern/protocol/errors";
export type * from "@quern/protocol/types";
export { errorName } from "./error-name.ts";
export * from "./generated/methods.ts";
export { type Query, type QueryOptions, query, resumeQuery } from "./query/query.ts";
export { type SharedQuery, type SharedQueryOptions, shareQuery } from "./query/shared-query.ts";
export { type StartedQuery, type StartOptions, startQuery } from "./query/started-query.ts";
export type { QueryResult } from "./result/query-result.ts";
export type { ResultIterator } from "./result/result-iterator.ts";
export type { ColumnName, ColumnSortBy, PageFilter, PageOptions, ResultPage } from "./result/result-pages.ts";
export { type ReadOptions, type RowOptions, rowKeysOf, type UntypedRow } from "./result/row.ts";
export { type ReadPageOptions, type RowPage, readPage, rowPageOf } from "./result/row-page.ts";
export type { RowSchema } from "./result/row-schema.ts";
export { rowsOf } from "./result/rows.ts";
export {
  columnsOf,
  type ResultOrigin,
  type WholeResult,
  type WholeResultOptions,
  wholeResultOf,
} from "./result/whole-result.ts";
export type { CreateOptions } from "./run/create-run.ts";
export { type UploadFileOptions, uploadFile } from "./run/upload-file.ts";
export { type StateOptions, type WaitForRunOptions, waitForRun } from "./run/wait-for-run.ts";
export { identifier, list, type SqlFragment, type SqlValue, sql, sqlText } from "./sql/sql.ts";
export { type Span, spans, type Tracer } from "./transport/tracer.ts";
export type { Fetch, FileBytes, HttpReply, HttpRequest, Interceptor, Transport } from "./transport/transport.ts";
export { type CallOptions, checkParameters } from "./wire/call.ts";
export { type Client, type ClientOptions, createClient } from "./wire/client.ts";
export type { Credential } from "./wire/credential.ts";
export type { DeadlineOptions } from "./wire/deadline.ts";
export { isErrorOf, type MethodFunction } from "./wire/method-function.ts";
export type { HeaderValues, PostOptions } from "./wire/post.ts";
export {
  type AnyError,
  type DetailsByKind,
  type ErrorDetails,
  type ErrorKind,
  type ErrorOf,
  type MethodError,
  QuernError,
} from "./wire/quern-error.ts";
