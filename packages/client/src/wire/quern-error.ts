import type { ErrorObject } from "@quern/json-rpc/envelope";
import type {
  MaxConcurrentQueriesError,
  QueryRunInvalidStateToCancelError,
  RateLimitedError,
  RequestedPageSizeTooLargeError,
  StoreUnavailableError,
} from "@quern/protocol/errors";
import type { QueryRunErrorData } from "@quern/protocol/types";

/**
 * Kind of an error.
 *
 * - `rpc`: the method answered an error that it declares: `code`, `errorName`, `data`.
 * - `undeclared`: the method answered an error that it does not declare: `code`, `data`.
 * - `http`: the HTTP status of a call is 500 or above, or it is not 2xx and the response is not an answer of the method:
 *   `status`.
 * - `network`: no complete response arrived: `cause`. Also if each poll of a run has failed for `outageTimeoutMs`, e.g.
 *   with an HTTP status.
 * - `timeout`: the deadline has passed. `aborted`: the caller's signal was aborted.
 * - `failed`: the run failed: `errorName`, `data` (its `errorData`), `queryRunId`. `canceled`: the run was canceled.
 * - `protocol`: the response is not a valid answer, the result has more rows than `maxRows`, or a row does not match
 *   its schema.
 */
export type ErrorKind =
  | "rpc"
  | "undeclared"
  | "http"
  | "network"
  | "timeout"
  | "aborted"
  | "failed"
  | "canceled"
  | "protocol";

/** Members of an error beside its kind and message. */
export interface ErrorDetails {
  /** JSON-RPC error code. */
  readonly code?: number;
  /** Name of the error code or of the failure of a run, e.g. `QueryRunNotFound`. */
  readonly errorName?: string | undefined;
  /**
   * Data of the error as the service sent it. For a row that does not match its schema: the number `row` and the
   * `issues`.
   */
  readonly data?: unknown;
  /** Method that was called; the message starts with its name. */
  readonly method?: string | undefined;
  /** Id of the run, for `resumeQuery`. */
  readonly queryRunId?: string;
  /** HTTP status of the response. A Quern service sends most errors of a method with 200. */
  readonly status?: number;
  /** Header `x-request-id` of the response, which identifies the request in the log of the service. */
  readonly requestId?: string;
  readonly cause?: unknown;
}

/** Members of every error. */
export interface AnyError extends Error, ErrorDetails {
  readonly name: "QuernError";
  readonly cause?: unknown;
  /** Returns all members and the message, without the stack: for logs and JSON output. */
  toJSON(): object;
}

/** Members that every error of a kind has. */
export interface DetailsByKind {
  readonly rpc: { readonly code: number };
  readonly undeclared: { readonly code: number };
  readonly http: { readonly status: number };
  readonly failed: { readonly queryRunId: string; readonly data?: QueryRunErrorData };
  readonly canceled: { readonly queryRunId: string };
}

/** Error of a kind. */
export type ErrorOf<Kind extends ErrorKind> = AnyError & { readonly kind: Kind } & (Kind extends keyof DetailsByKind
    ? DetailsByKind[Kind]
    : unknown);

/**
 * Error of the client: a union discriminated on `kind`. It never holds a credential, or a value of more than 7
 * characters from a request header.
 */
export type QuernError = { readonly [Kind in ErrorKind]: ErrorOf<Kind> }[ErrorKind];

/** Class of all errors of the client. `instanceof` is also true for an error of another copy of this package. */
export const QuernError: {
  readonly prototype: QuernError;
  new <Kind extends ErrorKind>(kind: Kind, text: string, details?: ErrorDetails): ErrorOf<Kind>;
} = class QuernError extends Error {
  override readonly name = "QuernError";
  declare readonly kind: ErrorKind;

  constructor(kind: ErrorKind, text: string, details: ErrorDetails = {}) {
    const { method } = details;
    super(method ? `${method}: ${text}` : text, details);
    this.kind = kind;
    Object.assign(this, details);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object(value).name === "QuernError";
  }

  toJSON(): object {
    return { ...this, message: this.message };
  }
} as never;

// Codes that the client handles.
export const RateLimited: RateLimitedError["code"] = -32029;
export const StoreUnavailable: StoreUnavailableError["code"] = -32178;
export const RequestedPageSizeTooLarge: RequestedPageSizeTooLargeError["code"] = -32170;
export const MaxConcurrentQueries: MaxConcurrentQueriesError["code"] = -32171;
export const QueryRunInvalidStateToCancel: QueryRunInvalidStateToCancelError["code"] = -32165;

/** Tells whether the service answered with this code. */
export function hasCode(error: unknown, code: number): error is QuernError {
  return (error as Partial<QuernError> | undefined)?.code === code; // Any value can be thrown.
}

/** Declared errors of a method: a union discriminated on `code`, which sets the type of `data`. */
export type MethodError<Failure extends ErrorObject> = Failure extends ErrorObject ? ErrorOf<"rpc"> & Failure : never;

/**
 * Makes the error of an aborted operation: `timeout` if the reason is a `TimeoutError`, else `aborted`. Each operation gets an error of
 * its own, although several may share a signal.
 */
export function abortError(cause: unknown, method?: string): QuernError {
  const { name, message } = (cause ?? {}) as Partial<Error>; // Any value can be a reason.
  const isTimeout = name === "TimeoutError";
  const text = (isTimeout && message) || "aborted";
  return new QuernError(isTimeout ? "timeout" : "aborted", text, { cause, method });
}
