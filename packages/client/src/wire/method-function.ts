import type { ErrorObject } from "@quern/json-rpc/envelope";
import type { Method } from "@quern/protocol/descriptor";
import type { CallOptions } from "./call.ts";
import type { Client } from "./client.ts";
import { type MethodError, QuernError } from "./quern-error.ts";

/** Function that calls one method of the service. */
export interface MethodFunction<Params, Result, Failure extends ErrorObject = ErrorObject> {
  /** @throws {QuernError} of any kind but `failed` and `canceled`. */
  (client: Client, params: Params, options?: CallOptions): Promise<Result>;
  readonly descriptor: Method<Params, Result, Failure>;
}

/**
 * Makes the function of a method. By default the descriptor decides whether a call may be retried and may share a
 * batch.
 */
export function methodFunction<Params extends object, Result, Failure extends ErrorObject>(
  descriptor: Method<Params, Result, Failure>,
): MethodFunction<Params, Result, Failure> {
  const { repeatable, pages, wait = "" } = descriptor;
  const call = (client: Client, params: Params, options: CallOptions = {}) => {
    const { longPoll = Boolean((params as Readonly<Record<string, unknown>>)[wait]) } = options;
    const { once = !repeatable, unbatched = pages || (!repeatable && longPoll) } = options;
    return client.call(descriptor, params, { ...options, once, unbatched, longPoll });
  };
  return Object.assign(call, { descriptor });
}

/**
 * Tells whether an error is one that the method declares, and narrows it to the union of these, discriminated on `code`.
 * @example if (isErrorOf(getQueryRun, error) && error.code === -32099) console.log(error.data.queryRunId);
 */
export function isErrorOf<Params, Result, Failure extends ErrorObject>(
  method: MethodFunction<Params, Result, Failure>,
  error: unknown,
): error is MethodError<Failure> {
  return error instanceof QuernError && error.kind === "rpc" && error.method === method.descriptor.name;
}
