import type { Contract } from "../server/document.ts";
import { areEqual, isObject, shortJson, valueAt } from "../server/json.ts";
import { itemSchema, memberSchema } from "../server/schema-walk.ts";

/** Members of the document whose value decides what a consumer does, so that it must be equal. */
const exact = new Set(["state", "columnNames", "columnTypes", "format"]);

/** A value given to a consumer, and the value that the server gives in its place. */
interface Pair {
  /** Schema of the value; undefined below members that the document does not name, such as columns of a row. */
  readonly schema: unknown;
  readonly given: unknown;
  readonly found: unknown;
  readonly pointer: string;
}

/**
 * Differences between an answer and what a consumer was given: a missing member, another type, or another value of the
 * members that a consumer decides by. Members that were null may be anything; lists are compared up to the shorter length.
 */
export function differences(contract: Contract, { schema, given, found, pointer }: Pair): readonly string[] {
  if (given === null || given === undefined) return [];
  const other = `${pointer}: expected ${typed(given)}, got ${found === undefined ? "no such member" : typed(found)}`;
  if (Array.isArray(given)) {
    if (!Array.isArray(found)) return [other];
    const items = itemSchema(contract, schema);
    return given
      .slice(0, found.length)
      .flatMap((item, index) =>
        differences(contract, { schema: items, given: item, found: found[index], pointer: `${pointer}/${index}` }),
      );
  }
  if (!isObject(given)) return typeof given === typeof found ? [] : [other];
  if (!isObject(found)) return [other];
  return Object.entries(given).flatMap(([name, value]) => {
    const at = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const member = memberSchema(contract, schema, name);
    const pair = { schema: member, given: value, found: valueAt(found, at), pointer: `${pointer}${at}` };
    if (member === undefined || !exact.has(name) || value === null) return differences(contract, pair);
    return areEqual(value, pair.found)
      ? []
      : [`${pair.pointer}: expected ${shortJson(value)}, got ${shortJson(pair.found)}`];
  });
}

function typed(value: unknown): string {
  if (value === null) return "null";
  const type = Array.isArray(value) ? "array" : typeof value;
  return `the ${type} ${shortJson(value)}`;
}
