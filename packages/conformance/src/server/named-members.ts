import { isObject } from "./json.ts";

/** Compares answers by what the document names and both have: servers may add members, and leave others out or null. */
export type Agreement = (left: unknown, right: unknown) => boolean;

export function agreementBy(document: unknown): Agreement {
  const names = new Set<string>();
  JSON.stringify(document, (key, value) => {
    if (key === "properties" && isObject(value)) for (const name of Object.keys(value)) names.add(name);
    return value;
  });
  function agree(left: unknown, right: unknown): boolean {
    if (Array.isArray(left) && Array.isArray(right))
      return left.length === right.length && left.every((item, index) => agree(item, right[index]));
    if (!isObject(left) || !isObject(right)) return left === right;
    const both = Object.keys(left).filter((name) => names.has(name) && left[name] != null && right[name] != null);
    return both.every((name) => agree(left[name], right[name]));
  }
  return agree;
}
