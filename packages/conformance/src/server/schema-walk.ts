import type { Contract } from "./document.ts";
import { isObject, type JsonObject } from "./json.ts";

/** Returns the schemas that a value may match: the schema itself, or each alternative of its `anyOf`. */
function alternatives(contract: Contract, schema: unknown): readonly JsonObject[] {
  const resolved = contract.resolve(schema);
  return Array.isArray(resolved.anyOf) ? resolved.anyOf.flatMap((one) => alternatives(contract, one)) : [resolved];
}

/** Returns the schema of a member that the OpenRPC document names; undefined for other members, such as the columns of a row. */
export function memberSchema(contract: Contract, schema: unknown, name: string): unknown {
  const owners = alternatives(contract, schema).map(({ properties }) => properties);
  return owners.flatMap((owner) => (isObject(owner) && Object.hasOwn(owner, name) ? [owner[name]] : []))[0];
}

/** Returns the schema of the items of a list; undefined if the OpenRPC document does not give it. */
export function itemSchema(contract: Contract, schema: unknown): unknown {
  return alternatives(contract, schema).flatMap(({ items }) => (items === undefined ? [] : [items]))[0];
}

/** Finds the runs in a value by their schema. An object that only has the members of a run, such as a row, is not a run. */
export function runsIn(contract: Contract, schema: unknown, value: unknown): readonly JsonObject[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((item) => runsIn(contract, itemSchema(contract, schema), item));
  if (!isObject(value)) return [];
  if (isRunSchema(contract, schema)) return [value];
  return Object.entries(value).flatMap(([name, member]) =>
    runsIn(contract, memberSchema(contract, schema, name), member),
  );
}

/** Returns true for the schema of runs: the objects whose state `x-poll` points at. */
export function isRunSchema(contract: Contract, schema: unknown): boolean {
  const own = alternatives(contract, schema);
  return [...contract.methods.values()].some(({ poll, result }) => {
    const owner = poll?.state.split("/").slice(1, -1);
    const polled = owner?.reduce<unknown>((at, name) => memberSchema(contract, at, name), result);
    return polled !== undefined && own.includes(contract.resolve(polled));
  });
}
