/**
 * The five codes that JSON-RPC itself defines.
 * @see https://www.jsonrpc.org/specification#error_object
 */
export const ParseError = -32700;
export const InvalidRequest = -32600;
export const MethodNotFound = -32601;
export const InvalidParams = -32602;
export const InternalError = -32603;

/**
 * The error member of a JSON-RPC response.
 * @see https://www.jsonrpc.org/specification#error_object
 */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** One method as both ends know it. Types travel on the phantom member; it never exists at run time. */
export interface MethodDescriptor<Params = unknown, Result = unknown, Failure extends ErrorObject = ErrorObject> {
  readonly name: string;
  /** Declared codes and the names of their errors, e.g. `{ [-32099]: "QueryRunNotFound" }`. */
  readonly errors: Readonly<Record<number, string>>;
  readonly "~types"?: { readonly params: Params; readonly result: Result; readonly failure: Failure };
}

/** What is wrong with one place of a value. */
export interface Issue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
  /** The same place as a JSON pointer, e.g. `/page/size`. */
  readonly pointer: string;
  /** What would have been right, e.g. `a string`. */
  readonly expected: string;
  /** What was there, shortened, e.g. `1.5`; `nothing` for a member that is missing. */
  readonly received: string;
}

/**
 * A validator: a Standard Schema whose issues also say pointer, expected and received, and whose answer is never a promise.
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

/** What a serving end needs beside the descriptor: the validators of the one parameter and of the result. */
export interface ServedMethod<Params = unknown, Result = unknown, Failure extends ErrorObject = ErrorObject> {
  readonly descriptor: MethodDescriptor<Params, Result, Failure>;
  readonly params: Schema<Params>;
  readonly result: Schema<Result>;
}
