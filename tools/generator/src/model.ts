/**
 * What the targets know of the document: readonly, with every reference kept by name, so that schemas may be recursive.
 * `pointer` is always the JSON pointer of the described thing in the document.
 */
export interface Model {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** The component schemas, then the schemas that methods and errors spell out in place. */
  readonly schemas: readonly NamedSchema[];
  readonly errors: readonly ErrorModel[];
  readonly methods: readonly MethodModel[];
  /** Codes that no method declares but that old servers may answer with, by name. */
  readonly knownErrorCodes: ReadonlyMap<number, string>;
}

export interface NamedSchema {
  readonly name: string;
  readonly schema: SchemaNode;
}

export interface SchemaNode {
  readonly pointer: string;
  /** The name of the schema this one refers to; then nothing else but `description` is set. */
  readonly reference?: string;
  readonly title?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly deprecated: boolean;
  readonly examples: readonly unknown[];
  /** Wrapped, because a default may be any JSON value. */
  readonly default?: { readonly value: unknown };
  /** The JSON types allowed; empty when any is. */
  readonly types: readonly JsonType[];
  readonly enum?: readonly unknown[];
  readonly const?: { readonly value: unknown };
  readonly properties: readonly Property[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly propertyNames?: SchemaNode;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  /** Keywords whose value is a number or a text, as they stand in the document: `minimum`, `pattern`, `format`, … */
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
  /** What to do about it. */
  readonly hint?: string;
  /** The HTTP status that carries it, where it is not 200. */
  readonly httpStatus?: number;
  /** The name of the schema of `data`. */
  readonly data?: string;
  readonly dataExample?: { readonly value: unknown };
}

export interface MethodModel {
  /** The name on the wire. */
  readonly name: string;
  /** The name in TypeScript. */
  readonly identifier: string;
  /** The PascalCase stem of its type names. */
  readonly stem: string;
  /** The name of its command and of its page in the reference. */
  readonly slug: string;
  readonly pointer: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  /** `x-read-only`: calling it changes nothing, so that it may be repeated at any time. */
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
}

export interface ExampleModel {
  readonly name: string;
  readonly pointer: string;
  readonly summary: string;
  readonly description: string;
  /** The value of `params[0]`. */
  readonly params: unknown;
  /** Absent in an example that shows a notification. */
  readonly result?: { readonly value: unknown };
}

export interface LinkModel {
  readonly name: string;
  readonly pointer: string;
  readonly description: string;
  /** The wire name of the method the link leads to. */
  readonly method: string;
  /** Member of the target's request -> OpenRPC runtime expression or constant. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** A place inside a request or a result, as its member names from the outside in. */
export type MemberPath = readonly string[];

/** `x-poll`: the method is called until a final state is reached. */
export interface PollModel {
  readonly request: Readonly<Record<string, MemberPath>>;
  readonly result: Readonly<Record<string, MemberPath>>;
  readonly final: readonly string[];
  readonly success: readonly string[];
}

/** `x-page`: the method returns its rows in numbered pages. */
export interface PageModel {
  readonly request: Readonly<Record<string, MemberPath>>;
  readonly result: Readonly<Record<string, MemberPath>>;
}

/** `x-cancels`: the method undoes what another method started. */
export interface CancelsModel {
  readonly method: string;
  readonly request: Readonly<Record<string, MemberPath>>;
}
