import type { ErrorObject, MethodDescriptor } from "@quern/json-rpc/envelope";

/** The descriptor of a method: its name, and the codes it may answer with their names. Types travel beside it. */
export function method<Params, Result, Failure extends ErrorObject>(
  name: string,
  errors: Readonly<Record<number, string>>,
): MethodDescriptor<Params, Result, Failure> {
  return { name, errors };
}
