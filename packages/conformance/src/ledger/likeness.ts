import { areEqual, isObject, shown } from "../server/json.ts";

/** What consumers decide by, so that it must be the very same. */
const exact = new Set(["state", "columnNames", "columnTypes", "format"]);

/**
 * Where an answer lacks what a consumer was given: a member that was there, its type, or the value of those it decides
 * by. Members that were null may be anything, and of lists only what both have is compared.
 */
export function lacks(given: unknown, found: unknown, pointer: string): readonly string[] {
  if (given === null || given === undefined) return [];
  const name = pointer.slice(pointer.lastIndexOf("/") + 1);
  if (exact.has(name)) {
    return areEqual(given, found) ? [] : [`${pointer} is ${shown(found)}, and the consumer relies on ${shown(given)}`];
  }
  if (Array.isArray(given)) {
    if (!Array.isArray(found)) return [wrong(pointer, given, found)];
    const both = Math.min(given.length, found.length);
    return given.slice(0, both).flatMap((item, index) => lacks(item, found[index], `${pointer}/${index}`));
  }
  if (isObject(given)) {
    if (!isObject(found)) return [wrong(pointer, given, found)];
    return Object.entries(given).flatMap(([member, value]) => lacks(value, found[member], `${pointer}/${member}`));
  }
  return typeof given === typeof found ? [] : [wrong(pointer, given, found)];
}

function wrong(pointer: string, given: unknown, found: unknown): string {
  return `${pointer} is ${shown(found)}, and the consumer was given ${shown(given)}`;
}
