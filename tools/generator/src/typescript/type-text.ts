import type { SchemaNode } from "../model.ts";
import { propertyKey } from "../names.ts";
import { childSchemas } from "../schema-lookup.ts";
import { constraintText } from "../schema-text.ts";
import { wrap } from "./doc-comment.ts";

/** Returns the TypeScript type of a schema. Named schemas are referenced, inline schemas are spelled out. */
export function typeText(schema: SchemaNode): string {
  return union(typeMembers(schema));
}

/** Joins the alternatives of a union without repetitions; `unknown` replaces all others. */
export function alternatives(types: readonly string[]): readonly string[] {
  const members = [...new Set(types)];
  return members.includes("unknown") ? ["unknown"] : members;
}

function union(types: readonly string[]): string {
  return alternatives(types).join(" | ");
}

/** Returns the alternatives of a type. */
export function typeMembers(schema: SchemaNode): readonly string[] {
  if (schema.reference !== undefined) return [schema.reference];
  if (schema.const !== undefined) return [JSON.stringify(schema.const.value)];
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value));
  if (schema.anyOf !== undefined) return anyOfMembers(schema.anyOf);
  if (schema.types.length === 0) return [schema.properties.length > 0 ? objectText(schema) : "unknown"];
  return schema.types.map((type) => singleType(schema, type));
}

/** An open enumeration keeps its known members for editors: `"A" | "B" | (string & {})`. */
function anyOfMembers(members: readonly SchemaNode[]): readonly string[] {
  const isOpenEnum = members.some((member) => member.enum?.every((value) => typeof value === "string"));
  return members.flatMap((member) => (isOpenEnum && isPlainString(member) ? ["(string & {})"] : typeMembers(member)));
}

function isPlainString(schema: SchemaNode): boolean {
  return (
    schema.reference === undefined &&
    schema.enum === undefined &&
    schema.types.length === 1 &&
    schema.types[0] === "string"
  );
}

function singleType(schema: SchemaNode, type: string): string {
  switch (type) {
    case "integer":
      return "number";
    case "array":
      return `readonly ${bracketed(schema.items === undefined ? "unknown" : typeText(schema.items))}[]`;
    case "object":
      return objectText(schema);
    default:
      return type;
  }
}

function objectText(schema: SchemaNode): string {
  const { additionalProperties, properties } = schema;
  if (properties.length > 0) {
    const members = properties.map((property) => {
      const { name, type, isOptional } = propertyText(property);
      return `${memberComment(property.schema)}  readonly ${name}${isOptional ? "?" : ""}: ${type.replaceAll("\n", "\n  ")};\n`;
    });
    return `{\n${members.join("")}}`;
  }
  if (additionalProperties === false) return "Readonly<Record<string, never>>";
  if (typeof additionalProperties !== "object") return "Readonly<Record<string, unknown>>";
  const type = typeText(additionalProperties);
  // TypeScript resolves the arguments of `Record` at once, so a schema could not refer to itself there.
  return hasReference(additionalProperties)
    ? `{ readonly [name: string]: ${type} }`
    : `Readonly<Record<string, ${type}>>`;
}

function hasReference(schema: SchemaNode): boolean {
  return schema.reference !== undefined || childSchemas(schema).some(hasReference);
}

/** Returns a member of an object. An optional member may be undefined, which JSON omits. */
export function propertyText(property: SchemaNode["properties"][number]) {
  const type = typeText(property.schema);
  return {
    name: propertyKey(property.name),
    type: property.required ? type : union([type, "undefined"]),
    isOptional: !property.required,
  };
}

function memberComment(schema: SchemaNode): string {
  const text = [schema.description ?? "", constraintText(schema)].filter((part) => part !== "").join(" ");
  const prose = wrap(text.replaceAll("*/", "*\\/"), 110).replaceAll(/^(\s*)@/gm, "$1\\@");
  const lines = [...(text === "" ? [] : prose.split("\n")), ...(schema.deprecated ? ["@deprecated"] : [])];
  if (lines.length === 0) return "";
  return lines.length === 1
    ? `  /** ${lines[0]} */\n`
    : `  /**\n${lines.map((line) => `   * ${line}\n`).join("")}   */\n`;
}

function bracketed(type: string): string {
  return type.includes(" | ") || type.startsWith("readonly ") ? `(${type})` : type;
}
