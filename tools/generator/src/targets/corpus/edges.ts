import { isJsonObject, type JsonObject } from "../../json.ts";
import type { JsonType, MethodModel, Model, Property, SchemaNode } from "../../model.ts";
import { pointerBelow } from "../../pointer.ts";
import { sampleOf } from "../../sample.ts";
import { resolved, schemaNamed } from "../../schema-lookup.ts";

/** Parameters that are just inside or just outside of what a schema allows. */
export interface Edge {
  /** The members that lead to the edge, from the outside in. */
  readonly place: readonly string[];
  readonly label: string;
  readonly rule: string;
  readonly source: string;
  readonly params: unknown;
  readonly isValid: boolean;
  /** Pointer into the params to what is wrong; undefined where several places may be named. */
  readonly fault?: string;
}

/** Frames the length of a text that is too long to write down: JSON leaves the character as it is, and nobody sends it. */
export const longText = "\uE000";

/** One value of the params, and how a changed one is put back into them. */
interface Site {
  readonly schema: SchemaNode;
  readonly value: unknown;
  readonly place: readonly string[];
  readonly pointer: string;
  readonly put: (value: unknown) => unknown;
  /** The schemas around it, so that recursion ends. */
  readonly enclosing: readonly string[];
}

/** All edges of a method's parameters. The rest of the request is its first example, cut down to what is required. */
export function edgesOf(model: Model, method: MethodModel): readonly Edge[] {
  const schema = schemaNamed(model, method.params);
  const example = method.examples[0]?.params;
  const whole = isJsonObject(example) ? example : {};
  const required = schema.properties.filter((property) => property.required);
  const value = Object.fromEntries(
    required.map(({ name, schema: member }) => [name, whole[name] ?? sampleOf(model, member)]),
  );
  return siteEdges(model, {
    schema,
    value,
    place: [],
    pointer: "",
    put: (params) => params,
    enclosing: [schema.pointer],
  });
}

function siteEdges(model: Model, site: Site): readonly Edge[] {
  return [
    ...typeEdges(model, site),
    ...enumEdges(site),
    ...numberEdges(site),
    ...stringEdges(site),
    ...objectEdges(model, site),
    ...arrayEdges(model, site),
  ];
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
        `${described(site)} is no ${type}`,
        pointerBelow(site.schema.pointer, "type"),
        value,
      ),
    );
}

/** The types a schema accepts, looking through `anyOf`; none when it accepts all. */
function acceptedTypes(model: Model, schema: SchemaNode): readonly JsonType[] {
  if (schema.anyOf === undefined)
    return schema.enum !== undefined && schema.types.length === 0 ? ["string"] : schema.types;
  const branches = schema.anyOf.map((branch) => acceptedTypes(model, resolved(model, branch)));
  return branches.some((types) => types.length === 0) ? [] : branches.flat();
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
    invalid(site, "unknown-value", `${described(site)} is one of the values listed`, source, "no such value"),
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
          invalid(site, "below-minimum", `${described(site)} is at least ${minimum}`, below, minimum - 1),
        ]
      : []),
    ...(typeof maximum === "number"
      ? [
          valid(site, "maximum", `${described(site)} may be ${maximum}`, above, maximum),
          invalid(site, "above-maximum", `${described(site)} is at most ${maximum}`, above, maximum + 1),
        ]
      : []),
  ];
}

/** A text at its bounds may still mean nothing to the service, so only what is beyond them is tried. */
function stringEdges(site: Site): readonly Edge[] {
  const { minLength, maxLength, format } = site.schema.limits;
  const edge = (keyword: string, label: string, rule: string, value: string) =>
    invalid(site, label, `${described(site)} ${rule}`, pointerBelow(site.schema.pointer, keyword), value);
  return [
    ...(typeof minLength === "number" && minLength > 0
      ? [edge("minLength", "too-short", `has at least ${minLength} characters`, "x".repeat(minLength - 1))]
      : []),
    ...(typeof maxLength === "number"
      ? [edge("maxLength", "too-long", `has at most ${maxLength} characters`, textOfLength(maxLength + 1))]
      : []),
    ...(format === "date-time" ? [edge("format", "no-date-time", "is a date and time", "yesterday")] : []),
  ];
}

function textOfLength(length: number): string {
  return length <= 300 ? "x".repeat(length) : `${longText}${length}${longText}`;
}

function objectEdges(model: Model, site: Site): readonly Edge[] {
  const { schema } = site;
  if (!schema.types.includes("object")) return [];
  const value: JsonObject = isJsonObject(site.value) ? site.value : {};
  const members = schema.properties.flatMap((property) => memberEdges(model, site, value, property));
  const { additionalProperties, limits, propertyNames } = schema;
  const unexpected =
    additionalProperties === false
      ? [
          fault(
            site,
            "unexpected",
            `${described(site)} has no other members`,
            pointerBelow(schema.pointer, "additionalProperties"),
            { ...value, unexpected: 1 },
            "/unexpected",
          ),
        ]
      : [];
  const further =
    typeof additionalProperties === "object"
      ? siteEdges(
          model,
          child(model, site, "key", additionalProperties, (member) => ({ ...value, key: member })),
        )
      : [];
  const { maxProperties } = limits;
  const many =
    typeof maxProperties === "number"
      ? Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, index) => [`key${index}`, "value"]))
      : undefined;
  const longest = propertyNames?.limits.maxLength;
  return [
    ...members,
    ...unexpected,
    ...further,
    ...(many
      ? [
          invalid(
            site,
            "too-many",
            `${described(site)} has at most ${maxProperties} members`,
            pointerBelow(schema.pointer, "maxProperties"),
            many,
          ),
        ]
      : []),
    ...(typeof longest === "number"
      ? [
          anywhere(
            site,
            "long-key",
            `keys have at most ${longest} characters`,
            pointerBelow(schema.pointer, "propertyNames"),
            { ["k".repeat(longest + 1)]: "value" },
          ),
        ]
      : []),
  ];
}

function memberEdges(
  model: Model,
  site: Site,
  value: JsonObject,
  { name, required, schema }: Property,
): readonly Edge[] {
  const { [name]: _, ...others } = value;
  const source = pointerBelow(site.schema.pointer, "required");
  const missing = required
    ? [
        {
          ...fault(site, "missing", `\`${name}\` is required`, source, others, pointerBelow("", name)),
          place: [...site.place, name],
        },
      ]
    : [];
  return [
    ...missing,
    ...siteEdges(
      model,
      child(model, site, name, schema, (member) => ({ ...value, [name]: member }), value[name]),
    ),
  ];
}

function arrayEdges(model: Model, site: Site): readonly Edge[] {
  const { items, types } = site.schema;
  if (!types.includes("array") || items === undefined) return [];
  return siteEdges(
    model,
    child(model, site, "0", items, (item) => [item]),
  );
}

/** The place of a member; of a schema that is inside itself only the outside is tried. */
function child(
  model: Model,
  site: Site,
  name: string,
  node: SchemaNode,
  put: (value: unknown) => unknown,
  value?: unknown,
): Site {
  const schema = resolved(model, node);
  const isRecursive = site.enclosing.includes(schema.pointer);
  return {
    schema: isRecursive ? outside(schema) : schema,
    value: value ?? sampleOf(model, schema),
    place: [...site.place, name],
    pointer: pointerBelow(site.pointer, name),
    put: (changed) => site.put(put(changed)),
    enclosing: [...site.enclosing, schema.pointer],
  };
}

function outside({ items: _, additionalProperties: __, propertyNames: ___, ...schema }: SchemaNode): SchemaNode {
  return { ...schema, properties: [] };
}

function described(site: Site): string {
  return site.place.length === 0 ? "the parameter" : `\`${site.place.join(".")}\``;
}

function valid(site: Site, label: string, rule: string, source: string, value: unknown): Edge {
  return { place: site.place, label, rule, source, params: site.put(value), isValid: true };
}

function invalid(site: Site, label: string, rule: string, source: string, value: unknown): Edge {
  return fault(site, label, rule, source, value, "");
}

function fault(site: Site, label: string, rule: string, source: string, value: unknown, below: string): Edge {
  return { ...anywhere(site, label, rule, source, value), fault: site.pointer + below };
}

function anywhere(site: Site, label: string, rule: string, source: string, value: unknown): Edge {
  return { place: site.place, label, rule, source, params: site.put(value), isValid: false };
}
