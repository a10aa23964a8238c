import type { ErrorObject } from "@quern/json-rpc/envelope";
import type {
  MaxConcurrentQueriesError,
  QueryRunInvalidStateToCancelError,
  RateLimitedError,
  RequestedPageSizeTooLargeError,
} from "@quern/protocol/errors";
import type { QueryRunErrorData } from "@quern/protocol/types";

/**
 * What went wrong, by what a caller can do about it.
 *
 * - `rpc`: the method answered one of the errors it declares; `code`, `errorName` and `data` say which.
 * - `undeclared`: it answered an error it does not declare; `code` and perhaps `errorName`.
 * - `http`: an HTTP status instead of an answer; `status`.
 * - `network`: no answer came; `cause`.
 * - `timeout`: the deadline passed. `aborted`: the caller's signal said so.
 * - `failed`: the run failed; `errorName`, `data` (its `errorData`), `queryRunId`. `canceled`: the run was canceled.
 * - `protocol`: an answer came that is not one, or rows that are not what was asked for.
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

export interface ErrorDetails {
  /** JSON-RPC error code. */
  readonly code?: number;
  /** Name of the error code, or of the failure of a run, e.g. `QueryRunNotFound`. */
  readonly errorName?: string | undefined;
  /** The error's data as the service sent it. */
  readonly data?: unknown;
  /** Method that was called; its name stands before the message. */
  readonly method?: string | undefined;
  /** The run it was about; by it the run can be taken up again. */
  readonly queryRunId?: string;
  /** HTTP status of the answer that the error came with; a method's own errors come with 200. */
  readonly status?: number;
  /** The `x-request-id` of that answer, by which the service's log knows the request. */
  readonly requestId?: string;
  readonly cause?: unknown;
}

/** The members of every error. */
interface AnyError extends Error, ErrorDetails {
  readonly name: "QuernError";
  readonly cause?: unknown;
  /** Returns every member and the message, without the stack: for logs and for `--json` output. */
  toJSON(): object;
}

/** The members that errors of a kind always have. */
interface DetailsOf {
  readonly rpc: { readonly code: number };
  readonly undeclared: { readonly code: number };
  readonly http: { readonly status: number };
  readonly failed: { readonly queryRunId: string; readonly data?: QueryRunErrorData };
  readonly canceled: { readonly queryRunId: string };
}

type ErrorOf<Kind extends ErrorKind> = AnyError & { readonly kind: Kind } & (Kind extends keyof DetailsOf
    ? DetailsOf[Kind]
    : unknown);

/** Everything the client throws: a union discriminated on `kind`. It never holds a header or a credential. */
export type QuernError = { readonly [Kind in ErrorKind]: ErrorOf<Kind> }[ErrorKind];

/** One class of errors for all kinds; what a kind has is given where it is thrown. */
export const QuernError: {
  readonly prototype: QuernError;
  new <Kind extends ErrorKind>(kind: Kind, text: string, details?: ErrorDetails): ErrorOf<Kind>;
} = class QuernError extends Error {
  override readonly name = "QuernError";
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, text: string, details: ErrorDetails = {}) {
    const { method } = details;
    super(method ? `${method}: ${text}` : text, details);
    this.kind = kind;
    Object.assign(this, details);
  }

  toJSON(): object {
    return { ...this, message: this.message };
  }
} as never;

// The codes that the client does something about.
export const RateLimited: RateLimitedError["code"] = -32029;
export const RequestedPageSizeTooLarge: RequestedPageSizeTooLargeError["code"] = -32170;
export const MaxConcurrentQueries: MaxConcurrentQueriesError["code"] = -32171;
export const QueryRunInvalidStateToCancel: QueryRunInvalidStateToCancelError["code"] = -32165;

/** Tells whether a service answered with this code. */
export function hasCode(error: unknown, code: number): error is QuernError {
  return (error as Partial<QuernError> | undefined)?.code === code; // Anything can be thrown; its member is looked at.
}

/** A declared error of a method: a union discriminated on `code`, whose `data` follows it. */
export type MethodError<Failure extends ErrorObject> = Failure extends ErrorObject ? ErrorOf<"rpc"> & Failure : never;

/** The error of one that was stopped by its signal: `timeout` where that was the signal's reason, else `aborted`. Several may share a signal, none an error. */
export function abortError(cause: unknown, method?: string): QuernError {
  const { name, message } = (cause ?? {}) as Partial<Error>; // Anything can be a reason; each member is looked at.
  const isTimeout = name === "TimeoutError";
  const text = (isTimeout && message) || "stopped by its signal";
  return new QuernError(isTimeout ? "timeout" : "aborted", text, { cause, method });
}
