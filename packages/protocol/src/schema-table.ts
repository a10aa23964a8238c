/** The names of JSON's types, and `integer`, which 1.0 is too. */
export type TypeName = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

/** A table by name, looked up when it is needed, so that tables may speak of themselves. */
export interface TableReference {
  readonly ref: () => SchemaTable;
}

/**
 * A JSON Schema of draft-07 as data, restricted to what `validator` interprets. `$ref` has become a `TableReference`;
 * annotations (title, description, examples, default) are left out. The empty table accepts everything.
 */
export interface SchemaTable {
  readonly type?: TypeName | readonly TypeName[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly propertyNames?: SchemaNode;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: SchemaNode;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** In code points, as `maxLength`. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression with the `u` flag, found anywhere in the string. */
  readonly pattern?: string;
  /** One of `schemaFormats`; any other is an annotation. */
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly SchemaNode[];
}

/** Where a table may stand, a reference may stand. */
export type SchemaNode = SchemaTable | TableReference;

/** The keywords that `validator` interprets: the generator refuses a document with any other. */
export const schemaKeywords: readonly (keyof SchemaTable)[] = [
  "type",
  "enum",
  "const",
  "properties",
  "required",
  "additionalProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "items",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minimum",
  "maximum",
  "anyOf",
];

/** The formats that `validator` checks, by RFC 3339: the generator refuses a document with any other. */
export const schemaFormats: readonly string[] = ["date-time"];
