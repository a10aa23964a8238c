import type { Contract } from "../server/document.ts";
import { areEqual, isObject, shortJson, valueAt } from "../server/json.ts";
import { itemSchema, memberSchema } from "../server/schema-walk.ts";

/** Members whose value must be equal, because consumers decide by it. */
const exactMembers = new Set(["state", "errorName", "columnNames", "columnTypes", "format"]);

/** Name that a mock gives to the failure of a stub that names none. */
const unnamedFailure = "QueryFailed";

/** Members that a run has only while it waits or executes, which another server does at other times. */
const momentaryMembers = new Set(["queuePosition", "progress"]);

/** Value that a consumer got from the mock, and the value of the server. */
interface Pair {
  /** Schema of the value; undefined below members that the OpenRPC document does not name, such as columns of a row. */
  readonly schema: unknown;
  readonly recorded: unknown;
  readonly actual: unknown;
  readonly pointer: string;
}

/**
 * Returns the differences between a recorded answer and that of the server: a missing member, another type, or another
 * value of the members that consumers decide by. A recorded null matches any value, the state of an unfinished run any
 * state, and momentary members are not compared. Other lists are compared up to the shorter length.
 */
export function differences(contract: Contract, { schema, recorded, actual, pointer }: Pair): readonly string[] {
  if (recorded === null || recorded === undefined) return [];
  const difference = `${pointer}: expected ${typed(recorded)}, got ${actual === undefined ? "no member" : typed(actual)}`;
  if (Array.isArray(recorded)) {
    if (!Array.isArray(actual)) return [difference];
    const items = itemSchema(contract, schema);
    return recorded
      .slice(0, actual.length)
      .flatMap((item, index) =>
        differences(contract, { schema: items, recorded: item, actual: actual[index], pointer: `${pointer}/${index}` }),
      );
  }
  if (!isObject(recorded)) return typeof recorded === typeof actual ? [] : [difference];
  if (!isObject(actual)) return [difference];
  return Object.entries(recorded).flatMap(([name, value]) => {
    const at = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const member = memberSchema(contract, schema, name);
    if (member !== undefined && momentaryMembers.has(name)) return [];
    const pair = { schema: member, recorded: value, actual: valueAt(actual, at), pointer: `${pointer}${at}` };
    const isExact = exactMembers.has(name) && isSetByTest(contract, name, value);
    if (member === undefined || !isExact) return differences(contract, pair);
    return areEqual(value, pair.actual)
      ? []
      : [`${pair.pointer}: expected ${shortJson(value)}, got ${shortJson(pair.actual)}`];
  });
}

/**
 * Returns false for a value that the consumer's test did not choose: null, the state of an unfinished run, the name of an
 * unnamed failure, and the columns of the stub `rows([])`.
 */
function isSetByTest(contract: Contract, name: string, value: unknown): boolean {
  if (name === "state") return !isUnfinished(contract, value);
  return value !== null && value !== unnamedFailure && !(Array.isArray(value) && value.length === 0);
}

/** Returns true for a state in which a run is at one time or another, depending on the speed of the server. */
function isUnfinished({ methods }: Contract, state: unknown): boolean {
  return ![...methods.values()].some(({ poll }) => poll?.final.some((final) => final === state));
}

function typed(value: unknown): string {
  if (value === null) return "null";
  const type = Array.isArray(value) ? "array" : typeof value;
  return `the ${type} ${shortJson(value)}`;
}
