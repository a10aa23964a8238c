import type { ErrorObject } from "./method.ts";

/** Members of a `MethodError` beside its code and message. */
export interface MethodErrorOptions {
  readonly data?: unknown;
  /**
   * HTTP status of the reply. A batch is always answered with HTTP 200.
   * @default 401 for an error of `authenticate`, else 200
   */
  readonly httpStatus?: number;
  /** Additional HTTP headers, e.g. `retry-after`. Used only for an error of `authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Cause for the operator, passed to `onError` and not to the client. */
  readonly cause?: unknown;
}

/** Error that is sent to the client. A method throws it, or `authenticate` to refuse the whole HTTP request. */
export class MethodError extends Error {
  override readonly name = "MethodError";
  readonly code: number;
  readonly data: unknown;
  readonly httpStatus: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: number, message: string, options: MethodErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data;
    this.httpStatus = options.httpStatus;
    this.headers = options.headers;
  }
}

/** Returns a `MethodError` as the error member of a response. */
export function errorObject({ code, message, data }: MethodError): ErrorObject {
  return data === undefined ? { code, message } : { code, message, data };
}
