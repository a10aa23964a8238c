type ClientExports = typeof import("@quern/client");

/** Names of the client's functions that call a method. */
type MethodName = {
  [Name in keyof ClientExports]: ClientExports[Name] extends { readonly descriptor: object } ? Name : never;
}[keyof ClientExports];

/**
 * Parsing of the text of a flag: `map` is a repeated `key=value`; `list` is `a,b` or a JSON array, and may be repeated;
 * `json` is JSON text.
 */
type MethodFlagKind = "string" | "number" | "boolean" | "map" | "list" | "json";

/** Flag of the command of a method. */
export interface MethodFlag {
  readonly name: string;
  /** Members of the params that lead to the value. */
  readonly path: readonly string[];
  readonly kind: MethodFlagKind;
  readonly required: boolean;
  readonly brief: string;
  readonly choices?: readonly string[];
  /** Default of the service, for the help. The CLI does not send it. */
  readonly default?: unknown;
  readonly deprecated?: boolean;
}

/** Generated description of a method, from which `methodCommand` builds its command. */
export interface MethodCommand {
  readonly name: string;
  /** Name of the client's function. A name, so that the help does not load the client. */
  readonly method: MethodName;
  readonly brief: string;
  readonly description: string;
  readonly flags: readonly MethodFlag[];
  readonly examples: readonly { readonly brief: string; readonly line: string }[];
}
