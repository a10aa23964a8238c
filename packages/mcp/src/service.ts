import type { Method } from "@quern/protocol/descriptor";

/** Access to the methods of a service for one caller. */
export interface Service {
  /**
   * Calls a method, and returns its result.
   * @throws {CallFailure} if the service answers with an error, or does not answer
   */
  call(method: Method<object>, params: object, signal: AbortSignal): Promise<unknown>;
  /**
   * Returns false for a method that the caller's scopes do not allow: its tools are not listed.
   * @default allows all methods
   */
  mayCall?(method: Method<object>): boolean;
}

/** Error of a call, as a tool reports it. */
export interface FailureDetails {
  /** Name of the error in the OpenRPC document, or of the failed run. */
  readonly name: string;
  /** Members of the error that a model can act on, such as `retryAfterMs`. */
  readonly data?: unknown;
  /** Run that has been created or read before the failure. */
  readonly runId?: string | undefined;
}

/** The service has answered a call with an error, or has not answered it. */
export class CallFailure extends Error {
  readonly details: FailureDetails;

  constructor(message: string, details: FailureDetails) {
    super(message);
    this.details = details;
  }
}
