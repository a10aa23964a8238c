import type { Model, SchemaNode } from "./model.ts";

/** The schema of that name; the model has been checked to hold all names it mentions. */
export function schemaNamed(model: Model, name: string): SchemaNode {
  const found = model.schemas.find((schema) => schema.name === name);
  if (found === undefined) throw new Error(`there is no schema ${name}`);
  return found.schema;
}

/** Follows references until there is a schema to look at. A description beside a reference stays. */
export function resolved(model: Model, schema: SchemaNode): SchemaNode {
  if (schema.reference === undefined) return schema;
  const target = resolved(model, schemaNamed(model, schema.reference));
  return schema.description === undefined ? target : { ...target, description: schema.description };
}

/** The schemas written directly inside a schema. */
export function childSchemas(schema: SchemaNode): readonly SchemaNode[] {
  const { additionalProperties, propertyNames, items, anyOf = [], properties } = schema;
  const single = [typeof additionalProperties === "object" ? additionalProperties : undefined, propertyNames, items];
  return [...properties.map((property) => property.schema), ...anyOf, ...single.filter((child) => child !== undefined)];
}
