import { isDeepStrictEqual } from "node:util";
import { memberOf, type Part } from "../part.ts";
import { listedValues, typesOf } from "./value-types.ts";
import { requiredNames, type View, viewOf } from "./view.ts";

/** Returns true if no value matches two schemas: by types, by listed values, or by a required member with other constants. */
export function areDisjoint(one: Part, other: Part, document: unknown): boolean {
  const [first, second] = [viewOf(one, document), viewOf(other, document)];
  if (first.isNever || second.isNever || !haveCommonValue(first, second)) return true;
  const isObject = [first, second].every((view) => [...typesOf(view)].join() === "object");
  return isObject && [...requiredNames(first)].some((name) => !haveCommonMember(name, first, second, document));
}

function haveCommonValue(one: View, other: View): boolean {
  const [values, others] = [listedValues(one), listedValues(other)];
  if (values !== undefined && others !== undefined)
    return values.some((value) => others.some((each) => isDeepStrictEqual(value, each)));
  const types = typesOf(other);
  return [...typesOf(one)].some((type) => types.has(type));
}

function haveCommonMember(name: string, one: View, other: View, document: unknown): boolean {
  if (!requiredNames(other).has(name)) return true;
  const [member, same] = [one, other].map((view) => viewOf(memberOf(view.keywords.get("properties"), name), document));
  return member === undefined || same === undefined || haveCommonValue(member, same);
}
