import type { ErrorObject } from "./method.ts";

export interface MethodErrorOptions {
  readonly data?: unknown;
  /**
   * The HTTP status of the reply: of `authenticate` it is 401 if left out. An error of a handler has it only where its
   * call came alone; members of a batch are answered with HTTP 200.
   */
  readonly httpStatus?: number;
  /** Only of `authenticate`: more HTTP headers, e.g. `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error that the caller is told: thrown by a method's handler, or by `authenticate` to refuse the whole HTTP request. */
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

/** The error member that tells of a `MethodError`. */
export function errorObject({ code, message, data }: MethodError): ErrorObject {
  return data === undefined ? { code, message } : { code, message, data };
}
