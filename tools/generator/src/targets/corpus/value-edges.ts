import type { JsonType, Model, SchemaNode } from "../../model.ts";
import { pointerBelow } from "../../pointer.ts";
import { resolved } from "../../schema-lookup.ts";
import { described, type Edge, invalid, type Site, valid } from "./edge.ts";
import { longValue } from "./long-value.ts";

/** Returns the edges of a value: of its type, its enumeration and its bounds. */
export function valueEdges(model: Model, site: Site): readonly Edge[] {
  // Bounds are redundant beside an enumeration.
  const isListed = site.schema.enum !== undefined || site.schema.const !== undefined;
  const bounds = isListed ? [] : [...numberEdges(site), ...stringEdges(site)];
  return [...typeEdges(model, site), ...enumEdges(site), ...bounds];
}

const typeSamples: readonly (readonly [JsonType, unknown])[] = [
  ["null", null],
  ["boolean", true],
  ["integer", 7],
  ["number", 7.5],
  ["string", "text"],
  ["array", []],
  ["object", {}],
];

function typeEdges(model: Model, site: Site): readonly Edge[] {
  const types = acceptedTypes(model, site.schema);
  if (types.length === 0) return [];
  return typeSamples
    .filter(([type]) => !types.includes(type) && !(type === "integer" && types.includes("number")))
    .map(([type, value]) =>
      invalid(
        site,
        `type-${type}`,
        `${described(site)} must not be ${articled(type)}`,
        pointerBelow(site.schema.pointer, "type"),
        value,
      ),
    );
}

/** Returns the types that a schema accepts, also by `anyOf`; empty if it accepts any type. */
function acceptedTypes(model: Model, schema: SchemaNode): readonly JsonType[] {
  const listed = schema.const === undefined ? schema.enum : [schema.const.value];
  if (listed !== undefined) return [...new Set(listed.map(typeOf))];
  if (schema.anyOf === undefined) return schema.types;
  const branches = schema.anyOf.map((branch) => acceptedTypes(model, resolved(model, branch)));
  return branches.some((types) => types.length === 0) ? [] : branches.flat();
}

/** Returns a type with its article: `a string`, `an array`, `null`. */
function articled(type: JsonType): string {
  if (type === "null") return type;
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "string" || typeof value === "boolean" ? (typeof value as "string" | "boolean") : "object";
}

function enumEdges(site: Site): readonly Edge[] {
  const { enum: values, pointer } = site.schema;
  if (values === undefined) return [];
  const source = pointerBelow(pointer, "enum");
  const inside = values.map((value) =>
    valid(
      site,
      `value-${String(value).toLowerCase()}`,
      `${described(site)} may be ${JSON.stringify(value)}`,
      source,
      value,
    ),
  );
  return [
    ...inside,
    invalid(site, "unknown-value", `${described(site)} must be one of the listed values`, source, "no such value"),
  ];
}

function numberEdges(site: Site): readonly Edge[] {
  const { minimum, maximum } = site.schema.limits;
  const below = pointerBelow(site.schema.pointer, "minimum");
  const above = pointerBelow(site.schema.pointer, "maximum");
  return [
    ...(typeof minimum === "number"
      ? [
          valid(site, "minimum", `${described(site)} may be ${minimum}`, below, minimum),
          invalid(site, "below-minimum", `${described(site)} must be at least ${minimum}`, below, minimum - 1),
        ]
      : []),
    ...(typeof maximum === "number"
      ? [
          valid(site, "maximum", `${described(site)} may be ${maximum}`, above, maximum),
          invalid(site, "above-maximum", `${described(site)} must be at most ${maximum}`, above, maximum + 1),
        ]
      : []),
  ];
}

/** A text within its bounds may still be meaningless to the service, so only texts beyond the bounds are tested. */
function stringEdges(site: Site): readonly Edge[] {
  const { minLength, maxLength, format } = site.schema.limits;
  const edge = (keyword: string, label: string, rule: string, value: string) =>
    invalid(site, label, `${described(site)} ${rule}`, pointerBelow(site.schema.pointer, keyword), value);
  return [
    ...(typeof minLength === "number" && minLength > 0
      ? [edge("minLength", "too-short", `must have at least ${minLength} characters`, "x".repeat(minLength - 1))]
      : []),
    ...(typeof maxLength === "number"
      ? [edge("maxLength", "too-long", `must have at most ${maxLength} characters`, textOfLength(maxLength + 1))]
      : []),
    ...(format === "date-time" ? [edge("format", "no-date-time", "must be a date and time", "yesterday")] : []),
  ];
}

function textOfLength(length: number): string {
  return length <= 300 ? "x".repeat(length) : longValue('"', "x", length, '"');
}
