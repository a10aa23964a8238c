import type { ErrorObject, MethodDescriptor } from "@quern/json-rpc/envelope";

/** Properties of a method from the OpenRPC document. Clients decide by them and not by the name of a method. */
export interface MethodTraits {
  /**
   * Reason why a call is safe to repeat: it only reads, or it cancels what another method has started. Without the
   * member a call must not be sent again if the service may have processed it, unless it has an idempotency key.
   */
  readonly repeatable?: "reads" | "cancels";
  /** True if the method returns one page of a result. */
  readonly pages?: boolean;
  /** Name of the parameter that makes the service hold its answer until a run has ended, for at most so many seconds. */
  readonly wait?: string;
  /**
   * Final states of a method that is polled; the value is true for success. Any other state is in progress.
   */
  readonly final?: Readonly<Record<string, boolean>>;
  /** Returns the method that cancels what this one starts. */
  readonly canceler?: () => Method<object>;
}

/** Descriptor of a method: name, declared errors, traits. */
export interface Method<Params = unknown, Result = unknown, Failure extends ErrorObject = ErrorObject>
  extends MethodDescriptor<Params, Result, Failure>,
    MethodTraits {}

/** Descriptor of a method that is polled. */
export interface PolledMethod<Params = unknown, Result = unknown, Failure extends ErrorObject = ErrorObject>
  extends Method<Params, Result, Failure> {
  readonly final: Readonly<Record<string, boolean>>;
}

/** Makes a descriptor. The types of params, result and errors exist at compile time only. */
export function method<Params, Result, Failure extends ErrorObject, Traits extends MethodTraits>(
  name: string,
  errors: Readonly<Record<number, string>>,
  traits: Traits,
): MethodDescriptor<Params, Result, Failure> & Traits {
  return { name, errors, ...traits };
}
