import type { ErrorObject, MethodDescriptor } from "@quern/json-rpc/envelope";
import { cancelQueryRunCancels, getQueryRunResultsPage, getQueryRunWait } from "../generated/lifecycle.ts";
import type { CallOptions } from "./call.ts";
import type { Client } from "./client.ts";
import { type MethodError, QuernError } from "./quern-error.ts";

/** Calls one method. */
export interface MethodFunction<Params, Result, Failure extends ErrorObject = ErrorObject> {
  /** @throws {QuernError} of any kind but `failed` and `canceled`. */
  (client: Client, params: Params, options?: CallOptions): Promise<Result>;
  readonly descriptor: MethodDescriptor<Params, Result, Failure>;
}

/** The function of a method. What must not be repeated and what must travel alone is read from the document's data. */
export function methodFunction<Params extends object, Result, Failure extends ErrorObject>(
  descriptor: MethodDescriptor<Params, Result, Failure>,
): MethodFunction<Params, Result, Failure> {
  const creates = descriptor.name === cancelQueryRunCancels;
  const call = (client: Client, params: Params, options: CallOptions = {}) => {
    const { waits = getQueryRunWait in params && Boolean(params[getQueryRunWait]) } = options;
    const { once = creates, alone = getQueryRunResultsPage in params || (creates && waits) } = options;
    return client.call(descriptor, params, { ...options, once, alone, waits });
  };
  return Object.assign(call, { descriptor });
}

/**
 * Whether an error is one that the method declares: narrows it to the union of them, discriminated on `code`.
 * @example if (isErrorOf(getQueryRun, error) && error.code === -32099) console.log(error.data.queryRunId);
 */
export function isErrorOf<Params, Result, Failure extends ErrorObject>(
  method: MethodFunction<Params, Result, Failure>,
  error: unknown,
): error is MethodError<Failure> {
  return error instanceof QuernError && error.kind === "rpc" && error.method === method.descriptor.name;
}
