import type { SchemaNode } from "../../model.ts";
import { codeSpan } from "../../schema-text.ts";

/**
 * Returns a type in words, with links to named types: `array of [Filter](types.md#filter) or null`.
 * @param types Relative path of the types page.
 */
export function typeWords(schema: SchemaNode, types: string): string {
  if (schema.reference !== undefined) return `[${schema.reference}](${types}#${schema.reference.toLowerCase()})`;
  if (schema.const !== undefined) return code(schema.const.value);
  if (schema.enum !== undefined) return schema.enum.map(code).join(", ");
  if (schema.anyOf !== undefined) {
    const isOpen = schema.anyOf.some((member) => member.enum !== undefined);
    return schema.anyOf
      .map((member) => (isOpen && member.types[0] === "string" ? "any other string" : typeWords(member, types)))
      .join(" or ");
  }
  if (schema.types.length === 0) return "any value";
  return schema.types.map((type) => singleType(schema, type, types)).join(" or ");
}

function singleType(schema: SchemaNode, type: string, types: string): string {
  if (type === "array") return schema.items === undefined ? "array" : `array of ${itemWords(schema.items, types)}`;
  if (type === "string" && schema.limits.format !== undefined) return `string (${schema.limits.format})`;
  if (type !== "object" || schema.properties.length > 0) return type;
  return typeof schema.additionalProperties === "object"
    ? `object of ${typeWords(schema.additionalProperties, types)}`
    : "object";
}

function itemWords(item: SchemaNode, types: string): string {
  const words = typeWords(item, types);
  return item.reference === undefined && item.anyOf !== undefined ? `(${words})` : words;
}

function code(value: unknown): string {
  return codeSpan(typeof value === "string" && value !== "" ? value : JSON.stringify(value));
}
