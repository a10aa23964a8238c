import type { Method } from "@quern/protocol/descriptor";

/** JSON Schema of arguments or of an output. */
export type JsonSchema = Readonly<Record<string, unknown>> & { readonly type: "object" };

/** Member of the params of a method, by its path. */
interface ParamTarget {
  readonly method: Method<object>;
  readonly member: readonly string[];
}

/** Output that is a part of the result of the method. */
export interface MembersOutput {
  /** Path of each member in the result of the method. */
  readonly members: Readonly<Record<string, readonly string[]>>;
  /** Paths of members that the output omits; `*` is each item of an array. */
  readonly omit: readonly (readonly string[])[];
  readonly schema: JsonSchema;
}

/** Tool of the MCP server, as `x-tool` of the OpenRPC document describes it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly openWorldHint: boolean;
  };
  readonly inputSchema: JsonSchema;
  readonly method: Method<object>;
  /** Member that each argument sets. */
  readonly params: Readonly<Record<string, ParamTarget>>;
  /** Members of the params with the same value in each call. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** Members of the result, or the rows of a run, for which the tool polls and reads a page. */
  readonly output: MembersOutput | "rows";
  /** Member of the params that limits the number of items of the result. */
  readonly size?: readonly string[];
  /** Member of the output that is the address of a file. */
  readonly link?: string;
}
