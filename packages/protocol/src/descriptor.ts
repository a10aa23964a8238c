import type { ErrorObject, MethodDescriptor } from "@quern/json-rpc/envelope";

/** Facts about a method, from the document. Callers decide by them, and never by the method's name. */
export interface MethodTraits {
  /**
   * Why a call may be sent a second time although the first may have arrived: it only reads, or it cancels what another method
   * has started. Any other call must not be repeated.
   */
  readonly repeatable?: "reads" | "cancels";
  /** The result is one page of several. */
  readonly pages?: boolean;
  /** Member of the params that makes the service hold its answer back until a run ends, in seconds. */
  readonly wait?: string;
  /**
   * The method is polled until the state in its result is one of these; true stands for success. A state that is not listed is in
   * progress.
   */
  readonly final?: Readonly<Record<string, boolean>>;
  /** Returns the method that cancels what this one starts. */
  readonly canceler?: () => Method<object>;
}

/** The descriptor of a method: name, declared errors, traits. */
export interface Method<Params = unknown, Result = unknown, Failure extends ErrorObject = ErrorObject>
  extends MethodDescriptor<Params, Result, Failure>,
    MethodTraits {}

/** The descriptor of a method that is polled. */
export interface PolledMethod<Params = unknown, Result = unknown, Failure extends ErrorObject = ErrorObject>
  extends Method<Params, Result, Failure> {
  readonly final: Readonly<Record<string, boolean>>;
}

/** Makes a descriptor; the types of params, result and errors exist at compile time only. */
export function method<Params, Result, Failure extends ErrorObject, Traits extends MethodTraits>(
  name: string,
  errors: Readonly<Record<number, string>>,
  traits: Traits,
): MethodDescriptor<Params, Result, Failure> & Traits {
  return { name, errors, ...traits };
}
