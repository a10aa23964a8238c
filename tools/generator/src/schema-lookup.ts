import type { Model, SchemaNode } from "./model.ts";

/** Returns the schema of a name. The model contains all names that it mentions. */
export function schemaNamed(model: Model, name: string): SchemaNode {
  const found = model.schemas.find((schema) => schema.name === name);
  if (found === undefined) throw new Error(`unknown schema: ${name}`);
  return found.schema;
}

/** Follows references to a schema. A description beside a reference is kept. */
export function resolved(model: Model, schema: SchemaNode): SchemaNode {
  if (schema.reference === undefined) return schema;
  const target = resolved(model, schemaNamed(model, schema.reference));
  return schema.description === undefined ? target : { ...target, description: schema.description };
}

/** Returns the direct subschemas of a schema. */
export function childSchemas(schema: SchemaNode): readonly SchemaNode[] {
  const { additionalProperties, propertyNames, items, anyOf = [], properties } = schema;
  const single = [typeof additionalProperties === "object" ? additionalProperties : undefined, propertyNames, items];
  return [...properties.map((property) => property.schema), ...anyOf, ...single.filter((child) => child !== undefined)];
}
