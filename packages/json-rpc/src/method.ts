/**
 * Error codes that JSON-RPC defines.
 * @see https://www.jsonrpc.org/specification#error_object
 */
export const ParseError = -32700;
export const InvalidRequest = -32600;
export const MethodNotFound = -32601;
export const InvalidParams = -32602;
export const InternalError = -32603;

/**
 * Error member of a JSON-RPC response.
 * @see https://www.jsonrpc.org/specification#error_object
 */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * Descriptor of a method for client and server. The member `~types` carries types only and does not exist at run time.
 */
export interface MethodDescriptor<Params = unknown, Result = unknown, Failure extends ErrorObject = ErrorObject> {
  readonly name: string;
  /** Declared codes and the names of their errors, e.g. `{ [-32099]: "QueryRunNotFound" }`. */
  readonly errors: Readonly<Record<number, string>>;
  readonly "~types"?: { readonly params: Params; readonly result: Result; readonly failure: Failure };
}

/** Mismatch between a value and its schema. */
export interface Issue {
  readonly message: string;
  /** Path of the mismatch in the value. */
  readonly path: readonly PropertyKey[];
  /** Path as a JSON pointer, e.g. `/page/size`. */
  readonly pointer: string;
  /** Description of the expected value, e.g. `a string`. */
  readonly expected: string;
  /** Description of the actual value, shortened, e.g. `1.5`; `nothing` for a missing member. */
  readonly received: string;
}

/**
 * Validator: a Standard Schema that is synchronous and whose issues also have `pointer`, `expected` and `received`.
 * @see https://standardschema.dev
 */
export interface Schema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(
      value: unknown,
    ): { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };
    readonly types?: { readonly input: T; readonly output: T };
  };
}

/** Method of a server: its descriptor, and the validators of its parameter and its result. */
export interface ServedMethod<Params = unknown, Result = unknown, Failure extends ErrorObject = ErrorObject> {
  readonly descriptor: MethodDescriptor<Params, Result, Failure>;
  readonly params: Schema<Params>;
  readonly result: Schema<Result>;
}
