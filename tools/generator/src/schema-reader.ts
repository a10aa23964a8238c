import { schemaFormats, schemaKeywords } from "../../../packages/protocol/src/schema-table.ts";
import { suggestion } from "./faults.ts";
import { isJsonObject, isStringArray, type JsonObject } from "./json.ts";
import type { JsonType, SchemaNode } from "./model.ts";
import { pointerBelow } from "./pointer.ts";
import { anySchema, type Reading } from "./reading.ts";

const annotations = ["$ref", "title", "description", "examples", "default", "deprecated", "x-unit"];
const readable = new Set([...schemaKeywords, ...annotations]);
const jsonTypes: readonly string[] = ["array", "boolean", "integer", "null", "number", "object", "string"];
const ranges = ["imum", "Length", "Items", "Properties"];

/** Reads a schema and its subschemas. Reports keywords that the validators do not check. */
export function readSchema(value: unknown, pointer: string, reading: Reading): SchemaNode {
  if (value === true) return anySchema(pointer);
  const { faults } = reading;
  if (!isJsonObject(value)) {
    faults.report(pointer, `a schema must be an object or true, got ${JSON.stringify(value)}; write one`);
    return anySchema(pointer);
  }
  if (value.$ref !== undefined) return readReference(value, pointer, reading);
  checkKeywords(value, pointer, reading);
  const child = (keyword: string): SchemaNode | undefined =>
    value[keyword] === undefined ? undefined : readSchema(value[keyword], pointerBelow(pointer, keyword), reading);
  if (Array.isArray(value.items))
    faults.report(pointerBelow(pointer, "items"), "one schema for all items is supported, not a list");
  return compact<SchemaNode>({
    pointer,
    ...readAnnotations(value),
    types: readTypes(value.type, pointer, reading),
    enum: Array.isArray(value.enum) ? value.enum : undefined,
    const: "const" in value ? { value: value.const } : undefined,
    properties: readProperties(value, pointer, reading),
    additionalProperties:
      typeof value.additionalProperties === "boolean" ? value.additionalProperties : child("additionalProperties"),
    propertyNames: child("propertyNames"),
    items: Array.isArray(value.items) ? undefined : child("items"),
    anyOf: Array.isArray(value.anyOf)
      ? value.anyOf.map((member, index) => readSchema(member, pointerBelow(pointer, "anyOf", index), reading))
      : undefined,
    limits: Object.fromEntries(Object.entries(value).filter(isLimit)),
  });
}

/** Reports keywords that would be ignored, and bounds that no value can satisfy. */
function checkKeywords(value: JsonObject, pointer: string, { faults }: Reading): void {
  for (const keyword of Object.keys(value).filter((name) => !readable.has(name)))
    faults.report(
      pointerBelow(pointer, keyword),
      `the schema keyword "${keyword}" is not supported${suggestion(keyword, readable)}`,
    );
  const { format, pattern, type, properties } = value;
  if (typeof format === "string" && !schemaFormats.includes(format))
    faults.report(
      pointerBelow(pointer, "format"),
      `the format "${format}" is not checked by the validators${suggestion(format, schemaFormats)}, ${formatMend(format)}`,
    );
  if (typeof pattern === "string") checkPattern(pattern, pointerBelow(pointer, "pattern"));
  if (properties !== undefined && type === undefined)
    faults.report(pointer, 'properties describe an object only; add "type": "object"');
  for (const keyword of ["type", "properties", "items", "enum", "const", "additionalProperties"])
    if (value.anyOf !== undefined && value[keyword] !== undefined)
      faults.report(
        pointerBelow(pointer, keyword),
        `${keyword} beside anyOf is not supported; move it into each schema of anyOf`,
      );
  for (const range of ranges) {
    const [least, most] = [value[`min${range}`], value[`max${range}`]];
    if (typeof least === "number" && typeof most === "number" && least > most)
      faults.report(
        pointerBelow(pointer, `min${range}`),
        `min${range} ${least} is above max${range} ${most}; swap them`,
      );
  }

  function checkPattern(text: string, at: string): void {
    try {
      new RegExp(text, "u");
    } catch (error) {
      faults.report(
        at,
        `the pattern is not a regular expression: ${error instanceof Error ? error.message : error}; correct it`,
      );
    }
  }
}

function formatMend(format: string): string {
  return /^u?int64$/.test(format)
    ? "or describe the value as a string of digits by a pattern: JavaScript numbers end at 2^53"
    : "or describe the values by pattern, minimum and maximum";
}

/** Reads a reference. Only a description may stand beside it. */
function readReference(value: JsonObject, pointer: string, reading: Reading): SchemaNode {
  for (const sibling of Object.keys(value).filter((keyword) => keyword !== "$ref" && keyword !== "description"))
    reading.faults.report(
      pointerBelow(pointer, sibling),
      "beside $ref only a description is read; move the keyword into the schema referred to",
    );
  const reference = reading.reference(value.$ref, "schemas", pointerBelow(pointer, "$ref"));
  if (reference === undefined || reading.isEndless(pointer)) return anySchema(pointer);
  return compact<SchemaNode>({
    pointer,
    ...readAnnotations(value),
    reference,
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

function readTypes(type: unknown, pointer: string, { faults }: Reading): readonly JsonType[] {
  const types = type === undefined ? [] : typeof type === "string" ? [type] : type;
  if (isStringArray(types) && types.every(isJsonType)) return types;
  faults.report(
    pointerBelow(pointer, "type"),
    `a type must be one of ${jsonTypes.join(", ")}, got ${JSON.stringify(type)}; write one of them`,
  );
  return [];
}

function readProperties(value: JsonObject, pointer: string, reading: Reading): SchemaNode["properties"] {
  const required = isStringArray(value.required) ? value.required : [];
  const properties = isJsonObject(value.properties) ? value.properties : {};
  for (const name of required.filter((member) => !Object.hasOwn(properties, member)))
    reading.faults.report(
      pointerBelow(pointer, "required"),
      `"${name}" is required but has no schema in properties${suggestion(name, Object.keys(properties))}`,
    );
  // ajv does not check a member of this name.
  if (Object.hasOwn(properties, "__proto__"))
    reading.faults.report(
      pointerBelow(pointer, "properties", "__proto__"),
      'a member cannot be named "__proto__"; rename it',
    );
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: readSchema(property, pointerBelow(pointer, "properties", name), reading),
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

/** Removes members without a value, so that `exactOptionalPropertyTypes` holds at run time, too. */
export function compact<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  // The remaining members are those of T, because the removed ones are optional.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
