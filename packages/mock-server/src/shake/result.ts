import document from "@quern/spec/openrpc.json" with { type: "json" };
import type { Random } from "../random.ts";

const finalStates = ["QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED", "QUERY_STATE_CANCELED"];
const newStates = ["QUERY_STATE_HIBERNATING", "PLANNING", "constructor"] as const;
const newMembers = [null, 0, "new", [], { state: "none", error: {} }] as const;

/** A result with other members in another order, as its schema allows. */
export function shakenResult(method: string, result: unknown, random: Random): unknown {
  const schema = resultSchema(method);
  return schema === undefined ? result : shaken(result, schema, random);
}

function shaken(value: unknown, schema: DocumentSchema, random: Random): unknown {
  // A client takes a state that it does not know for one that is not final.
  if (schemaName(schema) === "QueryRunState" && typeof value === "string")
    return finalStates.includes(value) || !random.oneIn(3) ? value : random.pick(newStates);
  const { properties, required = [], items, type } = resolved(schema);
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => shaken(item, items, random));
  if (typeof value !== "object" || value === null) return value;
  if (properties === undefined) return type === "object" ? shuffled(value, random) : value;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const known = properties[name];
    if (member === null && !required.includes(name) && random.oneIn(2)) continue;
    members[name] = known === undefined ? member : shaken(member, known, random);
  }
  for (const [name, known] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name) && admitsNull(known) && random.oneIn(2)) members[name] = null;
  }
  if (random.oneIn(2)) {
    const number = random.below(100);
    // The value follows from the name: two answers about a run that has ended must not differ.
    members[`new${number}`] = newMembers[number % newMembers.length];
  }
  return shuffled(members, random);
}

function shuffled(members: object, random: Random): object {
  return Object.fromEntries(random.shuffled(Object.entries(members)));
}

/** What of the document's schemas the mock goes by. */
interface DocumentSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly DocumentSchema[];
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly required?: readonly string[];
  readonly items?: DocumentSchema;
}

// The document's schemas have more members than are looked at here.
const components = document.components.schemas as Readonly<Record<string, DocumentSchema>>;

// `true`, which allows any value, has none of them.
const results = new Map(document.methods.map(({ name, result }) => [name, result.schema as DocumentSchema]));

/** The schema of a method's result; undefined for a method that the document does not list. */
function resultSchema(method: string): DocumentSchema | undefined {
  return results.get(method);
}

/** The name under which a schema is kept; undefined for one that stands where it is used. */
function schemaName({ $ref }: DocumentSchema): string | undefined {
  return $ref?.slice($ref.lastIndexOf("/") + 1);
}

/** The schema that a reference means, and of several the one for objects. */
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
