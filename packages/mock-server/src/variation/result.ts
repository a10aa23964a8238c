import document from "@quern/spec/openrpc.json" with { type: "json" };
import type { Random } from "../random.ts";

const finalStates = ["QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED", "QUERY_STATE_CANCELED"];
const newStates = ["QUERY_STATE_HIBERNATING", "PLANNING", "constructor"] as const;
const newMembers = [null, 0, "new", [], { state: "none", error: {} }] as const;

/** Returns a result with other members in another order, within its schema. */
export function variedResult(method: string, result: unknown, random: Random): unknown {
  const schema = resultSchema(method);
  return schema === undefined ? result : varied(result, schema, random);
}

function varied(value: unknown, schema: DocumentSchema, random: Random): unknown {
  // A client treats an unknown state as one that is not final, so no final state may become unknown.
  if (schemaName(schema) === "QueryRunState" && typeof value === "string")
    return finalStates.includes(value) || !random.oneIn(3) ? value : random.pick(newStates);
  const { properties, required = [], items, type } = resolved(schema);
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => varied(item, items, random));
  if (typeof value !== "object" || value === null) return value;
  if (properties === undefined) return type === "object" ? shuffled(value, random) : value;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const known = properties[name];
    if (member === null && !required.includes(name) && random.oneIn(2)) continue;
    members[name] = known === undefined ? member : varied(member, known, random);
  }
  for (const [name, known] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name) && admitsNull(known) && random.oneIn(2)) members[name] = null;
  }
  if (random.oneIn(2)) {
    const number = random.below(100);
    // The value follows from the name, because a member of an ended run must not change between two answers.
    members[`new${number}`] = newMembers[number % newMembers.length];
  }
  return shuffled(members, random);
}

function shuffled(members: object, random: Random): object {
  return Object.fromEntries(random.shuffled(Object.entries(members)));
}

/** Members of the OpenRPC document's schemas that a variation uses. */
interface DocumentSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly DocumentSchema[];
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly required?: readonly string[];
  readonly items?: DocumentSchema;
}

// The OpenRPC document's schemas have more members than the type.
const components = document.components.schemas as Readonly<Record<string, DocumentSchema>>;

// The schema `true`, which allows any value, has no members.
const results = new Map(document.methods.map(({ name, result }) => [name, result.schema as DocumentSchema]));

/** Returns the schema of a method's result; undefined for a method that the OpenRPC document does not have. */
function resultSchema(method: string): DocumentSchema | undefined {
  return results.get(method);
}

/** Returns the name of a referenced schema; undefined for an inline schema. */
function schemaName({ $ref }: DocumentSchema): string | undefined {
  return $ref?.slice($ref.lastIndexOf("/") + 1);
}

/** Resolves a reference; of several alternatives, the object schema. */
function resolved(schema: DocumentSchema): DocumentSchema {
  const named = components[schemaName(schema) ?? ""];
  if (named !== undefined) return resolved(named);
  const choice = schema.anyOf?.find((one) => resolved(one).type === "object");
  return choice === undefined ? schema : resolved(choice);
}

function admitsNull(schema: DocumentSchema): boolean {
  const { type, anyOf = [] } = components[schemaName(schema) ?? ""] ?? schema;
  return type === "null" || (Array.isArray(type) && type.includes("null")) || anyOf.some(admitsNull);
}
