import type { RateLimitedError } from "@quern/protocol/errors";
import { QuernError } from "../wire/quern-error.ts";
import type { Untyped } from "./loose-types.ts";

/** Values of `errorType`. */
export const ERROR_TYPES = {
  sdk_error: "UNEXPECTED_SDK_ERROR",
  server_error: "SERVER_ERROR",
  query_run_rate_limit_error: "QUERY_RUN_RATE_LIMIT_ERROR",
  query_run_timeout_error: "QUERY_RUN_TIMEOUT_ERROR",
  query_run_execution_error: "QUERY_RUN_EXECUTION_ERROR",
  user_error: "USER_ERROR",
  api_error: "API_ERROR",
} as const;

const RateLimited: RateLimitedError["code"] = -32029;

/** What the old classes have, and what they lost on the way. */
abstract class FlipsideError extends Error {
  /** One of `ERROR_TYPES`. */
  abstract readonly errorType: string;
  /** Data of the error as the service sent it; `{}` where there is none. Untyped, as in the old client. */
  readonly data: Record<string, Untyped>;
  /** JSON-RPC error code, where the service answered one. */
  readonly code: number | undefined;
  /** HTTP status of the answer that the error came with. */
  readonly status: number | undefined;
  /** The run it is about; by it the run can be taken up again. */
  readonly queryRunId: string | undefined;
  declare readonly cause: QuernError;

  constructor(cause: QuernError) {
    super(cause.message, { cause });
    this.name = cause.errorName ?? "Error";
    this.data = { ...(typeof cause.data === "object" && cause.data) };
    this.code = cause.code;
    this.status = cause.status;
    this.queryRunId = cause.queryRunId;
  }
}

/** The service answered an error; `code` and `name` say which. */
export class ApiError extends FlipsideError {
  readonly errorType = ERROR_TYPES.api_error;
}

/** The run failed, for the reason in `name`, `message` and `data`, or it was canceled: `cause.kind` tells. */
export class QueryRunExecutionError extends FlipsideError {
  readonly errorType = ERROR_TYPES.query_run_execution_error;
}

/** The query was not done in time. It has been withdrawn from the service. */
export class QueryRunTimeoutError extends FlipsideError {
  readonly errorType = ERROR_TYPES.query_run_timeout_error;
}

/** The service takes no more requests for now. */
export class QueryRunRateLimitError extends FlipsideError {
  readonly errorType = ERROR_TYPES.query_run_rate_limit_error;
}

/** The service refused the key or the request. */
export class UserError extends FlipsideError {
  readonly errorType = ERROR_TYPES.user_error;
}

/** The service, or something before it, broke down. */
export class ServerError extends FlipsideError {
  readonly errorType = ERROR_TYPES.server_error;
}

/** There was no answer, or none that is one. */
export class UnexpectedSDKError extends FlipsideError {
  readonly errorType = ERROR_TYPES.sdk_error;
}

/** What goes wrong with a query, as opposed to what goes wrong on the way. */
export type QueryError = ApiError | QueryRunExecutionError | QueryRunRateLimitError | QueryRunTimeoutError;

export function isQueryError(error: unknown): error is QueryError {
  const classes = [ApiError, QueryRunExecutionError, QueryRunRateLimitError, QueryRunTimeoutError];
  return classes.some((Class) => error instanceof Class);
}

/** The old error for one of ours; what is not ours stays as it is. */
export function flipsideError(error: unknown): unknown {
  if (!(error instanceof QuernError)) return error;
  const { kind, code, status = 0 } = error;
  if (status === 401 || status === 403)
    return withMessage(new UserError(error), `Unauthorized: Invalid API Key. ${error.message}`);
  if (status === 429 || code === RateLimited) return new QueryRunRateLimitError(error);
  if (kind === "rpc" || kind === "undeclared") return new ApiError(error);
  if (kind === "failed" || kind === "canceled") return new QueryRunExecutionError(error);
  if (kind === "timeout") return new QueryRunTimeoutError(error);
  if (kind === "http") return status >= 500 ? new ServerError(error) : new UserError(error);
  return new UnexpectedSDKError(error);
}

function withMessage<E extends Error>(error: E, message: string): E {
  return Object.assign(error, { message });
}
