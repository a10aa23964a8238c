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

/** Base class: the members of the old classes, and the details of the failure. */
abstract class FlipsideError extends Error {
  /** One of `ERROR_TYPES`. */
  abstract readonly errorType: string;
  /** Data of the error as the service sent it, `{}` if it is not an object. Untyped, as in the old client. */
  readonly data: Record<string, Untyped>;
  /** JSON-RPC error code, if the service answered with an error. */
  readonly code: number | undefined;
  /** HTTP status of the response; undefined without a response. */
  readonly status: number | undefined;
  /** Id of the run, to pass to `getQueryResults`; undefined if the error concerns no run. */
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

/** The service answered with a JSON-RPC error other than a rate limit: `code`, `name`, `data`. */
export class ApiError extends FlipsideError {
  readonly errorType = ERROR_TYPES.api_error;
}

/** The run failed (`name`, `message`, `data`) or was canceled; `cause.kind` is `failed` or `canceled`. */
export class QueryRunExecutionError extends FlipsideError {
  readonly errorType = ERROR_TYPES.query_run_execution_error;
}

/**
 * A time limit passed: `timeoutMinutes` in `run` and `createQueryRun`, which then withdraw the query; 20 minutes in
 * `getQueryResults`, which does not stop the run; or 60 seconds without an answer to one call.
 */
export class QueryRunTimeoutError extends FlipsideError {
  readonly errorType = ERROR_TYPES.query_run_timeout_error;
}

/** The service refused the request because of its rate limit. */
export class QueryRunRateLimitError extends FlipsideError {
  readonly errorType = ERROR_TYPES.query_run_rate_limit_error;
}

/** The service refused the key (HTTP 401 or 403), or answered with another HTTP status below 500 except 429. */
export class UserError extends FlipsideError {
  readonly errorType = ERROR_TYPES.user_error;
}

/**
 * The service or a gateway answered a call with an HTTP status of 500 or above. A poll of a run that fails so is
 * retried, and is an `UnexpectedSDKError` after 5 minutes.
 */
export class ServerError extends FlipsideError {
  readonly errorType = ERROR_TYPES.server_error;
}

/** No response arrived, it was not a valid answer, or each poll of a run has failed for 5 minutes, e.g. with HTTP 503. */
export class UnexpectedSDKError extends FlipsideError {
  readonly errorType = ERROR_TYPES.sdk_error;
}

/** Errors of a query, which `run` and `getQueryResults` return; they throw all other errors. */
export type QueryError = ApiError | QueryRunExecutionError | QueryRunRateLimitError | QueryRunTimeoutError;

export function isQueryError(error: unknown): error is QueryError {
  const classes = [ApiError, QueryRunExecutionError, QueryRunRateLimitError, QueryRunTimeoutError];
  return classes.some((Class) => error instanceof Class);
}

/** Converts a `QuernError` to the error class of the old client. Other errors are returned unchanged. */
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
