import { isJsonObject, type JsonObject } from "../../json.ts";
import type { MethodModel, Model, Property, SchemaNode } from "../../model.ts";
import { pointerBelow } from "../../pointer.ts";
import { leastParams, sampleOf } from "../../sample.ts";
import { resolved, schemaNamed } from "../../schema-lookup.ts";
import { anywhere, described, type Edge, fault, invalid, type Site } from "./edge.ts";
import { longValue } from "./long-value.ts";
import { valueEdges } from "./value-edges.ts";

/**
 * Returns all edges of a method's params. The rest of the params is the first example, reduced to its required members.
 */
export function edgesOf(model: Model, method: MethodModel): readonly Edge[] {
  const schema = resolved(model, schemaNamed(model, method.params));
  return siteEdges(model, {
    schema,
    value: leastParams(model, method),
    place: [],
    pointer: "",
    put: (params) => params,
    enclosing: [schema.pointer],
  });
}

function siteEdges(model: Model, site: Site): readonly Edge[] {
  return [
    ...valueEdges(model, site),
    ...objectEdges(model, site),
    ...arrayEdges(model, site),
    ...alternativeEdges(model, site),
  ];
}

/**
 * Returns the edges inside the objects and arrays of `anyOf`. A value without the members of one object may be another
 * one, so only the first has edges of missing and of further members.
 */
function alternativeEdges(model: Model, site: Site): readonly Edge[] {
  const branches = (site.schema.anyOf ?? []).map((node) => resolved(model, node));
  const first = branches.find(({ types }) => types.includes("object"));
  return branches
    .filter(({ pointer }) => !site.enclosing.includes(pointer))
    .flatMap((schema) => {
      const enclosing = [...site.enclosing, schema.pointer];
      const branch = { ...site, schema, value: sampleOf(model, schema), enclosing };
      const edges = [...objectEdges(model, branch), ...arrayEdges(model, branch)];
      const isWhole = ({ place, label }: Edge) =>
        place.length > site.place.length + (label === "missing" ? 1 : 0) || schema === first;
      return edges.filter(isWhole);
    });
}

function objectEdges(model: Model, site: Site): readonly Edge[] {
  if (!site.schema.types.includes("object")) return [];
  const value: JsonObject = isJsonObject(site.value) ? site.value : {};
  return [
    ...site.schema.properties.flatMap((property) => memberEdges(model, site, value, property)),
    ...furtherMemberEdges(model, site, value),
    ...keyEdges(site),
  ];
}

/** Returns edges with a member that `properties` does not list. */
function furtherMemberEdges(model: Model, site: Site, value: JsonObject): readonly Edge[] {
  const { additionalProperties, pointer } = site.schema;
  if (additionalProperties === undefined || additionalProperties === true) return [];
  if (additionalProperties === false) {
    const rule = `${described(site)} must not have other members`;
    const source = pointerBelow(pointer, "additionalProperties");
    return [fault(site, "unexpected", rule, source, { ...value, unexpected: 1 }, "/unexpected")];
  }
  return siteEdges(
    model,
    child(model, site, "key", additionalProperties, (member) => ({ ...value, key: member })),
  );
}

/** Returns edges with more members, or longer names, than the schema allows. */
function keyEdges(site: Site): readonly Edge[] {
  const { limits, propertyNames, pointer } = site.schema;
  const edges: Edge[] = [];
  const most = limits.maxProperties;
  if (typeof most === "number") {
    const many = Object.fromEntries(Array.from({ length: most + 1 }, (_, index) => [`key${index}`, "value"]));
    const rule = `${described(site)} must have at most ${most} members`;
    edges.push(invalid(site, "too-many", rule, pointerBelow(pointer, "maxProperties"), many));
  }
  const longest = propertyNames?.limits.maxLength;
  if (typeof longest === "number") {
    const long = { ["k".repeat(longest + 1)]: "value" };
    const rule = `${described(site)} must have keys of at most ${longest} characters`;
    edges.push(anywhere(site, "long-key", rule, pointerBelow(pointer, "propertyNames"), long));
  }
  return edges;
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
  const item = child(model, site, "0", items, (one) => [one]);
  return [...itemCountEdges(site, item), ...siteEdges(model, item)];
}

/** Returns an edge with more items than the schema allows. */
function itemCountEdges(site: Site, item: Site): readonly Edge[] {
  const most = site.schema.limits.maxItems;
  if (typeof most !== "number") return [];
  const text = JSON.stringify(item.value);
  const many = longValue("[", `${text},`, most, `${text}]`);
  const rule = `${described(site)} must have at most ${most} items`;
  return [invalid(site, "too-many", rule, pointerBelow(site.schema.pointer, "maxItems"), many)];
}

/** Returns the site of a member. Of a recursive schema only the outermost level is tested. */
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
