import { schemaKeywords } from "../../../packages/protocol/src/schema-table.ts";
import { isJsonObject, isStringArray, type JsonObject } from "./json.ts";
import type { JsonType, SchemaNode } from "./model.ts";
import { pointerBelow } from "./pointer.ts";
import { SpecError } from "./spec-error.ts";

const annotations = ["$ref", "title", "description", "examples", "default", "deprecated", "x-unit"];
const readable = new Set([...schemaKeywords, ...annotations]);
const jsonTypes: readonly string[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** Where schemas that others refer to by name stand in the document. */
const componentPrefix = "#/components/schemas/";

/** Reads one schema and all below it. Stops at the first keyword that the validators would not check. */
export function readSchema(value: unknown, pointer: string): SchemaNode {
  if (value === true) return { pointer, deprecated: false, examples: [], types: [], properties: [], limits: {} };
  if (!isJsonObject(value)) throw new SpecError(pointer, "a schema must be an object, or true");
  const unknownKeyword = Object.keys(value).find((keyword) => !readable.has(keyword));
  if (unknownKeyword !== undefined) {
    const known = [...readable].sort().join(", ");
    throw new SpecError(
      pointerBelow(pointer, unknownKeyword),
      `the schema keyword "${unknownKeyword}" is not supported; use one of ${known}`,
    );
  }
  if (value.$ref !== undefined) return readReference(value, pointer);
  const child = (keyword: string): SchemaNode | undefined =>
    value[keyword] === undefined ? undefined : readSchema(value[keyword], pointerBelow(pointer, keyword));
  return compact<SchemaNode>({
    pointer,
    ...readAnnotations(value),
    types: readTypes(value.type, pointer),
    enum: Array.isArray(value.enum) ? value.enum : undefined,
    const: "const" in value ? { value: value.const } : undefined,
    properties: readProperties(value, pointer),
    additionalProperties:
      typeof value.additionalProperties === "boolean" ? value.additionalProperties : child("additionalProperties"),
    propertyNames: child("propertyNames"),
    items: Array.isArray(value.items)
      ? fail(pointerBelow(pointer, "items"), "one schema for all items is supported, not a list")
      : child("items"),
    anyOf: Array.isArray(value.anyOf)
      ? value.anyOf.map((member, index) => readSchema(member, pointerBelow(pointer, "anyOf", index)))
      : undefined,
    limits: Object.fromEntries(Object.entries(value).filter(isLimit)),
  });
}

function readReference(value: JsonObject, pointer: string): SchemaNode {
  const reference = value.$ref;
  if (typeof reference !== "string" || !reference.startsWith(componentPrefix)) {
    throw new SpecError(pointerBelow(pointer, "$ref"), `a reference must begin with ${componentPrefix}`);
  }
  const sibling = Object.keys(value).find((keyword) => keyword !== "$ref" && keyword !== "description");
  if (sibling !== undefined) {
    throw new SpecError(
      pointerBelow(pointer, sibling),
      "beside $ref only a description is read; move the keyword into the schema referred to",
    );
  }
  return compact<SchemaNode>({
    pointer,
    ...readAnnotations(value),
    reference: reference.slice(componentPrefix.length),
    types: [],
    properties: [],
    limits: {},
  });
}

function readAnnotations(value: JsonObject) {
  return {
    title: text(value.title),
    description: text(value.description),
    unit: text(value["x-unit"]),
    deprecated: value.deprecated === true,
    examples: Array.isArray(value.examples) ? value.examples : [],
    default: "default" in value ? { value: value.default } : undefined,
  };
}

function readTypes(type: unknown, pointer: string): readonly JsonType[] {
  const types = type === undefined ? [] : typeof type === "string" ? [type] : type;
  if (!isStringArray(types) || !types.every(isJsonType))
    throw new SpecError(pointerBelow(pointer, "type"), `a type must be one of ${jsonTypes.join(", ")}`);
  return types;
}

function readProperties(value: JsonObject, pointer: string): SchemaNode["properties"] {
  const required = isStringArray(value.required) ? value.required : [];
  const properties = isJsonObject(value.properties) ? value.properties : {};
  const undescribed = required.find((name) => !Object.hasOwn(properties, name));
  if (undescribed !== undefined)
    throw new SpecError(
      pointerBelow(pointer, "required"),
      `"${undescribed}" is required but has no schema in properties`,
    );
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: readSchema(property, pointerBelow(pointer, "properties", name)),
  }));
}

function isJsonType(name: string): name is JsonType {
  return jsonTypes.includes(name);
}

function isLimit(entry: [string, unknown]): entry is [string, number | string] {
  const [keyword, limit] = entry;
  return (
    !annotations.includes(keyword) && keyword !== "type" && (typeof limit === "number" || typeof limit === "string")
  );
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function fail(pointer: string, message: string): never {
  throw new SpecError(pointer, message);
}

/** Leaves out members without a value, so that `exactOptionalPropertyTypes` holds at run time too. */
export function compact<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  // The members that are left are those of T: the ones removed are optional in it.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
