/**
 * Model of an OpenRPC document, as the targets read it: readonly, with references by name, so that schemas may be
 * recursive. `pointer` is the JSON pointer of the described thing in the document.
 */
export interface Model {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Schemas of the components, then inline schemas of methods and errors. */
  readonly schemas: readonly NamedSchema[];
  readonly errors: readonly ErrorModel[];
  readonly methods: readonly MethodModel[];
  /** Names of error codes that no method declares, but with which other services of this interface may answer. */
  readonly knownErrorCodes: ReadonlyMap<number, string>;
}

export interface NamedSchema {
  readonly name: string;
  readonly schema: SchemaNode;
}

export interface SchemaNode {
  readonly pointer: string;
  /** Name of the schema that this one refers to. Only `description` is set beside it. */
  readonly reference?: string;
  readonly title?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly deprecated: boolean;
  readonly examples: readonly unknown[];
  /** Wrapped, because a default may be any JSON value, such as null. */
  readonly default?: { readonly value: unknown };
  /** Allowed JSON types; empty if any type is allowed. */
  readonly types: readonly JsonType[];
  readonly enum?: readonly unknown[];
  readonly const?: { readonly value: unknown };
  readonly properties: readonly Property[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly propertyNames?: SchemaNode;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  /** Keywords with a number or text as value, as in the document: `minimum`, `pattern`, `format`, … */
  readonly limits: Readonly<Record<string, number | string>>;
}

export type JsonType = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

export interface Property {
  readonly name: string;
  readonly required: boolean;
  readonly schema: SchemaNode;
}

export interface ErrorModel {
  readonly name: string;
  readonly pointer: string;
  readonly code: number;
  readonly message: string;
  readonly description: string;
  /** Advice for the caller. */
  readonly hint?: string;
  /** Advice for a language model that calls a tool. @default `hint` */
  readonly toolHint?: string;
  /** HTTP status of the answer. @default 200 */
  readonly httpStatus?: number;
  /** Name of the schema of `data`. */
  readonly data?: string;
  readonly dataExample?: { readonly value: unknown };
}

export interface MethodModel {
  /** Name on the wire. */
  readonly name: string;
  /** Name in TypeScript. */
  readonly identifier: string;
  /** Stem of its type names, in PascalCase. */
  readonly stem: string;
  /** Name of its command and of its page in the reference. */
  readonly slug: string;
  readonly pointer: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  /** `x-read-only`: the method changes nothing, so a call may be repeated. */
  readonly readOnly: boolean;
  readonly tags: readonly string[];
  /** Names of the schemas of `params[0]` and of the result. */
  readonly params: string;
  readonly result: string;
  readonly errors: readonly ErrorModel[];
  readonly examples: readonly ExampleModel[];
  readonly links: readonly LinkModel[];
  readonly poll?: PollModel;
  readonly page?: PageModel;
  readonly cancels?: CancelsModel;
  readonly tool?: ToolModel;
}

export interface ExampleModel {
  readonly name: string;
  readonly pointer: string;
  readonly summary: string;
  readonly description: string;
  /** Value of `params[0]`. */
  readonly params: unknown;
  /** Missing in the example of a notification. */
  readonly result?: { readonly value: unknown };
}

export interface LinkModel {
  readonly name: string;
  readonly pointer: string;
  readonly description: string;
  /** Name on the wire of the method that the link leads to. */
  readonly method: string;
  /** OpenRPC runtime expression or constant, by member of the target's params. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Path into params or a result: member names from the outside in. */
export type MemberPath = readonly string[];

/** `x-poll`: the method is called until the state is final. */
export interface PollModel {
  readonly request: Readonly<Record<string, MemberPath>>;
  readonly result: Readonly<Record<string, MemberPath>>;
  readonly final: readonly string[];
  readonly success: readonly string[];
}

/** `x-page`: the method returns rows in numbered pages. */
export interface PageModel {
  readonly request: Readonly<Record<string, MemberPath>>;
  readonly result: Readonly<Record<string, MemberPath>>;
}

/** `x-cancels`: the method cancels the effect of another method. */
export interface CancelsModel {
  readonly method: string;
  readonly request: Readonly<Record<string, MemberPath>>;
}

/** `x-tool`: the method is a tool of the MCP server. */
export interface ToolModel {
  readonly pointer: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly hints: Readonly<Record<ToolHint, boolean>>;
  readonly params: readonly ToolParam[];
  /** Members of the params with the same value in each call. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** Members of the output by their paths in the result; or the rows of a run, for which the tool polls and reads a page. */
  readonly result: "rows" | Readonly<Record<string, MemberPath>>;
  /** Paths into the output that it omits; `*` is each item of an array. */
  readonly omit: readonly MemberPath[];
  /** Member of the params that limits the number of items of the result. */
  readonly size?: MemberPath;
  /** Member of the output that is the address of a file. */
  readonly link?: string;
}

export type ToolHint = "readOnly" | "destructive" | "openWorld";

/** Argument of a tool, and the member of the params that it sets. */
export interface ToolParam {
  readonly name: string;
  readonly pointer: string;
  /** Name of the method of the params. @default the method of the tool */
  readonly method?: string;
  readonly member: MemberPath;
  readonly required?: boolean;
  readonly description?: string;
  /** False if the schema does not list the members of objects: the description names them in fewer characters. @default true */
  readonly listMembers?: boolean;
  readonly default?: { readonly value: unknown };
  readonly minimum?: number;
  readonly maximum?: number;
}
