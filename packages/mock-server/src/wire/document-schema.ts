import document from "@quern/spec/openrpc.json" with { type: "json" };

/** What of the document's schemas the mock goes by. */
export interface DocumentSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly DocumentSchema[];
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly required?: readonly string[];
  readonly items?: DocumentSchema;
}

// The document's schemas have more members than are looked at here.
const components = document.components.schemas as Readonly<Record<string, DocumentSchema>>;

// `true`, which allows any value, has none of them.
const results = new Map(document.methods.map(({ name, result }) => [name, result.schema as DocumentSchema]));

/** The schema of a method's result; undefined for a method that the document does not list. */
export function resultSchema(method: string): DocumentSchema | undefined {
  return results.get(method);
}

/** The name under which a schema is kept; undefined for one that stands where it is used. */
export function schemaName({ $ref }: DocumentSchema): string | undefined {
  return $ref?.slice($ref.lastIndexOf("/") + 1);
}

/** The schema that a reference means, and of several the one for objects. */
export function resolved(schema: DocumentSchema): DocumentSchema {
  const named = components[schemaName(schema) ?? ""];
  if (named !== undefined) return resolved(named);
  const choice = schema.anyOf?.find((one) => resolved(one).type === "object");
  return choice === undefined ? schema : resolved(choice);
}

export function admitsNull(schema: DocumentSchema): boolean {
  const { type, anyOf = [] } = components[schemaName(schema) ?? ""] ?? schema;
  return type === "null" || (Array.isArray(type) && type.includes("null")) || anyOf.some(admitsNull);
}
