import type { SchemaNode } from "./model.ts";

/** The schemas written directly inside a schema. */
export function childSchemas(schema: SchemaNode): readonly SchemaNode[] {
  const { additionalProperties, propertyNames, items, anyOf = [], properties } = schema;
  const single = [typeof additionalProperties === "object" ? additionalProperties : undefined, propertyNames, items];
  return [...properties.map((property) => property.schema), ...anyOf, ...single.filter((child) => child !== undefined)];
}
