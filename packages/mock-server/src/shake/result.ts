import type { Random } from "../random.ts";
import { admitsNull, type DocumentSchema, resolved, resultSchema, schemaName } from "../wire/document-schema.ts";

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
