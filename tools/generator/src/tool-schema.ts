import type { JsonObject } from "./json.ts";
import type { MemberPath, MethodModel, Model, Property, SchemaNode, ToolModel } from "./model.ts";
import { resolved, schemaNamed } from "./schema-lookup.ts";

/** Returns the schema of a member by its path, in which `*` is each item of an array. Undefined for an unknown member. */
export function memberSchema(model: Model, schema: SchemaNode, path: MemberPath): SchemaNode | undefined {
  const [name, ...rest] = path;
  const node = withoutNull(model, schema);
  if (name === undefined) return node;
  const next = name === "*" ? node.items : node.properties.find((property) => property.name === name)?.schema;
  return next && memberSchema(model, next, rest);
}

/** Returns the schema of the arguments of a tool as JSON Schema. */
export function inputSchema(model: Model, method: MethodModel, tool: ToolModel): JsonObject {
  const properties = tool.params.map((param) => {
    const owner = model.methods.find(({ name }) => name === (param.method ?? method.name)) ?? method;
    const schema = memberSchema(model, schemaNamed(model, owner.params), param.member);
    if (schema === undefined) throw new Error(`unknown member: ${param.pointer}`);
    const {
      minimum = schema.limits.minimum,
      maximum = schema.limits.maximum,
      default: initial = schema.default,
    } = param;
    const described = {
      ...(param.listMembers === false ? outline(model, schema) : jsonSchema(model, schema, "input")),
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
      ...(initial && { default: initial.value }),
      description: param.description ?? schema.description ?? "",
    };
    return [param.name, described] as const;
  });
  const { properties: members } = resolved(model, schemaNamed(model, method.params));
  const isRequired = (name: string | undefined) => members.some((each) => each.name === name && each.required);
  const required = tool.params
    .filter((param) => param.required ?? (param.method === undefined && !param.default && isRequired(param.member[0])))
    .map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Returns the schema of the output of a tool whose result is not rows. */
export function outputSchema(model: Model, method: MethodModel, { result, omit }: ToolModel): SchemaNode {
  const properties = Object.entries(result).flatMap(([name, path]): readonly Property[] => {
    const schema = rawMember(model, schemaNamed(model, method.result), path);
    return schema === undefined ? [] : [{ name, required: true, schema }];
  });
  const whole: SchemaNode = { ...empty, types: ["object"], properties };
  return omit.reduce((schema, path) => without(model, schema, path), whole);
}

const empty: SchemaNode = { pointer: "", deprecated: false, examples: [], types: [], properties: [], limits: {} };

/** Like {@link memberSchema}, but the schema of the member itself keeps null. */
function rawMember(model: Model, schema: SchemaNode, path: MemberPath): SchemaNode | undefined {
  const above = memberSchema(model, schema, path.slice(0, -1));
  return above?.properties.find(({ name }) => name === path.at(-1))?.schema;
}

function without(model: Model, schema: SchemaNode, [name, ...rest]: MemberPath): SchemaNode {
  const node = resolved(model, schema);
  if (name === "*" && node.items) return { ...node, items: without(model, node.items, rest) };
  const properties = node.properties.flatMap((property) => {
    if (property.name !== name) return [property];
    return rest.length === 0 ? [] : [{ ...property, schema: without(model, property.schema, rest) }];
  });
  return { ...node, properties };
}

/**
 * Converts a schema to JSON Schema that all clients accept: no references, no lists of types, and no annotations. An
 * argument has no null, because it can be omitted. The service checks what is not expressed.
 */
export function jsonSchema(model: Model, schema: SchemaNode, use: "input" | "output"): JsonObject {
  const node = use === "input" ? withoutNull(model, schema) : resolved(model, schema);
  const { types, properties, items, additionalProperties } = node;
  const below = (child: SchemaNode) => jsonSchema(model, child, use);
  const branches = node.anyOf?.map((branch) => resolved(model, branch)) ?? [];
  if (branches.length > 0 && branches.every((branch) => isText(branch))) return { type: "string" };
  if (branches.length > 0) return { anyOf: branches.map(below) };
  if (types.length > 1)
    return {
      anyOf: types.map((type) => below(type === "null" ? { ...empty, types: [type] } : { ...node, types: [type] })),
    };
  const required = properties.filter((property) => property.required).map(({ name }) => name);
  return {
    ...(types.length === 1 && { type: types[0] }),
    ...(types.length === 0 && node.enum && { type: "string" }),
    ...(node.enum && { enum: node.enum }),
    ...(properties.length > 0 && {
      properties: Object.fromEntries(properties.map((property) => [property.name, below(property.schema)])),
    }),
    ...(required.length > 0 && { required }),
    ...(use === "input" && additionalProperties === false && { additionalProperties }),
    ...(items && withoutNull(model, items).types.length < 2 && { items: below(items) }),
  };
}

/** Returns the types of a param and of its items, without the members of objects. Of several types, none is named. */
function outline(model: Model, schema: SchemaNode): JsonObject {
  const { anyOf = [schema], items } = withoutNull(model, schema);
  const [type, ...others] = new Set(anyOf.flatMap((branch) => withoutNull(model, branch).types));
  return { ...(others.length === 0 && type !== undefined && { type }), ...(items && { items: outline(model, items) }) };
}

function isText({ types, enum: values }: SchemaNode): boolean {
  return (
    types.join() === "string" || (types.length === 0 && values?.every((value) => typeof value === "string") === true)
  );
}

function withoutNull(model: Model, schema: SchemaNode): SchemaNode {
  const node = resolved(model, schema);
  const { anyOf } = node;
  if (anyOf !== undefined) {
    const [only, ...others] = anyOf.filter((branch) => resolved(model, branch).types.join() !== "null");
    return only !== undefined && others.length === 0 ? withoutNull(model, only) : node;
  }
  return node.types.length > 1 ? { ...node, types: node.types.filter((type) => type !== "null") } : node;
}
