import type { Model, Property, SchemaNode } from "./model.ts";
import { flagName, singular } from "./names.ts";
import { resolved, schemaNamed } from "./schema-lookup.ts";
import { limitText } from "./schema-text.ts";

/** Parsing of the text of a flag: `map` is a repeated `key=value`, `list` is `a,b` or repeated, `json` is JSON text. */
type FlagKind = "string" | "number" | "boolean" | "map" | "list" | "json";

/** Flag of the command of a method. */
export interface Flag {
  readonly name: string;
  /** Members of the params that lead to the value. */
  readonly path: readonly string[];
  readonly kind: FlagKind;
  readonly required: boolean;
  readonly brief: string;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  readonly deprecated?: true;
}

/**
 * Returns the flags of a method: one for each member of its params. A member that is an object of scalars gives a flag
 * for each of its own members instead, such as `--page-size`.
 */
export function flagsOf(model: Model, paramsName: string): readonly Flag[] {
  return schemaNamed(model, paramsName).properties.flatMap((property) =>
    memberFlags(model, property, [], [], true, false),
  );
}

function memberFlags(
  model: Model,
  property: Property,
  path: readonly string[],
  names: readonly string[],
  parentRequired: boolean,
  parentDeprecated: boolean,
): readonly Flag[] {
  const schema = resolved(model, property.schema);
  const place = [...path, property.name];
  const required = parentRequired && property.required;
  const kind = kindOf(model, schema);
  if (kind === "nested")
    return schema.properties.flatMap((member) =>
      memberFlags(model, member, place, [...names, property.name], required, parentDeprecated || schema.deprecated),
    );
  const name = flagName([...names, kind === "map" ? singular(property.name) : property.name]);
  const brief = [schema.description ?? "", limitText(schema)].filter((text) => text !== "").join(" ");
  const choices = kind === "string" ? schema.enum?.filter((value) => typeof value === "string") : undefined;
  const isDeprecated = parentDeprecated || schema.deprecated;
  return [
    {
      name,
      path: place,
      kind,
      required,
      brief,
      ...(choices !== undefined && choices.length > 0 && { choices }),
      ...(schema.default !== undefined && { default: schema.default.value }),
      ...(isDeprecated && { deprecated: true }),
    },
  ];
}

function kindOf(model: Model, schema: SchemaNode): FlagKind | "nested" {
  const scalar = scalarKind(schema);
  if (scalar !== undefined) return scalar;
  if (schema.items !== undefined && scalarKind(resolved(model, schema.items)) === "string") return "list";
  if (!schema.types.includes("object")) return "json";
  if (schema.properties.length > 0) {
    return schema.properties.every((member) => scalarKind(resolved(model, member.schema)) !== undefined)
      ? "nested"
      : "json";
  }
  const values =
    typeof schema.additionalProperties === "object" ? resolved(model, schema.additionalProperties) : undefined;
  return values !== undefined && scalarKind(values) === "string" ? "map" : "json";
}

/**
 * Returns the kind of a scalar; undefined for any other schema. A nullable scalar is a scalar, too: a flag cannot be
 * null, but it can be omitted.
 */
function scalarKind(schema: SchemaNode): "string" | "number" | "boolean" | undefined {
  if (
    schema.anyOf?.some((member) => member.enum !== undefined) &&
    schema.anyOf.every((member) => member.enum !== undefined || scalarKind(member) === "string")
  ) {
    return "string";
  }
  const types = schema.types.filter((type) => type !== "null");
  const [type] = types;
  if (types.length === 0 && schema.enum?.every((value) => typeof value === "string")) return "string";
  if (types.length !== 1) return undefined;
  if (type === "integer" || type === "number") return "number";
  return type === "string" || type === "boolean" ? type : undefined;
}
