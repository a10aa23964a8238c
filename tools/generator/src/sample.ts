import { isJsonObject, type JsonObject } from "./json.ts";
import type { MethodModel, Model, SchemaNode } from "./model.ts";
import { resolved, schemaNamed } from "./schema-lookup.ts";

/**
 * Returns the required members of a method's params, as in its first example, or all members of the example
 * if the schema has `minProperties`.
 */
export function leastParams(model: Model, method: MethodModel): JsonObject {
  const schema = resolved(model, schemaNamed(model, method.params));
  const example = method.examples[0]?.params;
  const whole = isJsonObject(example) ? example : {};
  if (schema.limits.minProperties !== undefined) return whole;
  const required = schema.properties.filter((property) => property.required);
  return Object.fromEntries(
    required.map(({ name, schema: member }) => [
      name,
      Object.hasOwn(whole, name) ? whole[name] : sampleOf(model, member),
    ]),
  );
}

/**
 * Returns a value for a schema: its constant, default, first example or first enumerated value, or else a small value
 * of its type. Optional members are omitted.
 */
export function sampleOf(model: Model, node: SchemaNode, enclosing: readonly SchemaNode[] = []): unknown {
  const schema = resolved(model, node);
  if (schema.const !== undefined) return schema.const.value;
  if (schema.default !== undefined) return schema.default.value;
  if (schema.examples.length > 0) return schema.examples[0];
  if (schema.enum !== undefined) return schema.enum[0];
  // Recursion ends at null or an empty list. A schema that allows neither has no finite value.
  if (enclosing.includes(schema)) return schema.types.includes("array") ? [] : null;
  const inside = [...enclosing, schema];
  if (schema.anyOf !== undefined) {
    const shallow = schema.anyOf.find((member) => !inside.includes(resolved(model, member)));
    return shallow === undefined ? null : sampleOf(model, shallow, inside);
  }
  switch (schema.types[0]) {
    case "object":
      return Object.fromEntries(
        schema.properties
          .filter((property) => property.required)
          .map((property) => [property.name, sampleOf(model, property.schema, inside)]),
      );
    case "array":
      return Array.from({ length: Number(schema.limits.minItems ?? 0) }, () =>
        schema.items === undefined ? null : sampleOf(model, schema.items, inside),
      );
    case "string":
      return schema.limits.format === "date-time"
        ? "2026-11-20T09:30:00.000Z"
        : "x".repeat(Number(schema.limits.minLength ?? 1));
    case "integer":
    case "number":
      return Number(schema.limits.minimum ?? 0);
    case "boolean":
      return false;
    default:
      return null;
  }
}
