type ClientExports = typeof import("@quern/client");

/** The names of the client's functions that call a method each. */
type MethodName = {
  [Name in keyof ClientExports]: ClientExports[Name] extends { readonly descriptor: object } ? Name : never;
}[keyof ClientExports];

/** Conversion of the text of a flag to a value: `map` repeats as `key=value`, `list` is `a,b` or repeats, `json` is JSON text. */
type MethodFlagKind = "string" | "number" | "boolean" | "map" | "list" | "json";

/** One flag of a method's command. */
export interface MethodFlag {
  readonly name: string;
  /** Where the value goes in the params, member by member. */
  readonly path: readonly string[];
  readonly kind: MethodFlagKind;
  readonly required: boolean;
  readonly brief: string;
  readonly choices?: readonly string[];
  /** The default of the service; it is not sent. */
  readonly default?: unknown;
  readonly deprecated?: boolean;
}

/** A method as a command: the generated data that `methodCommand` makes a command of. */
export interface MethodCommand {
  readonly name: string;
  /** The client's function by its name, so that help does not load the client. */
  readonly method: MethodName;
  readonly brief: string;
  readonly description: string;
  readonly flags: readonly MethodFlag[];
  readonly examples: readonly { readonly brief: string; readonly line: string }[];
}
