/** Types of JSON Schema. `integer` includes 1.0. */
export type TypeName = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

/** Reference to a schema, resolved on first use, so that schemas may be recursive. */
export interface TableReference {
  readonly ref: () => SchemaTable;
}

/**
 * JSON Schema (draft-07) as data, restricted to the keywords that `validator` interprets. A `$ref` is a
 * `TableReference`. There are no annotations (title, description, examples, default). The empty table accepts every
 * value.
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
  /** Minimum length in code points. */
  readonly minLength?: number;
  /** Maximum length in code points. */
  readonly maxLength?: number;
  /** Regular expression with the flag `u`; it may match anywhere in the string. */
  readonly pattern?: string;
  /** Expected text in words, for tables of code: the error of a text that does not match. @default the pattern */
  readonly patternText?: string;
  /** One of `schemaFormats`; any other format is not checked. */
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly SchemaNode[];
}

/** Schema, or a reference to one. */
export type SchemaNode = SchemaTable | TableReference;

/** Keywords that `validator` interprets. The generator refuses a document with other keywords. */
export const schemaKeywords: readonly Exclude<keyof SchemaTable, "patternText">[] = [
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

/** Formats that `validator` checks, by RFC 3339. The generator refuses a document with other formats. */
export const schemaFormats: readonly string[] = ["date-time"];
