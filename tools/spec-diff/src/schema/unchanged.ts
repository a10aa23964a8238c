import { isEqual, localPointer, type Part, partAt } from "../part.ts";

/** Finds schemas that no document changes, so that they need no comparison. */
export interface Unchanged {
  /**
   * Returns the definitions that an unchanged schema uses, directly or by others. Returns undefined if the schema or one
   * of the definitions differs.
   */
  targets(old: Part, now: Part): readonly Part[] | undefined;
}

export function createUnchanged(oldDocument: unknown, newDocument: unknown): Unchanged {
  const results = new Map<string, readonly Part[] | undefined>();
  const equalDefinitions = new Map<string, boolean>();
  const references = new Map<string, readonly string[]>();

  const isEqualDefinition = (pointer: string): boolean => {
    const known = equalDefinitions.get(pointer);
    if (known !== undefined) return known;
    const equal = isEqual(partAt(oldDocument, pointer), partAt(newDocument, pointer));
    equalDefinitions.set(pointer, equal);
    return equal;
  };
  const referencesOf = (part: Part): readonly string[] => {
    const known = references.get(part.pointer) ?? [...new Set(referencesIn(part.value))];
    references.set(part.pointer, known);
    return known;
  };
  const find = (old: Part, now: Part): readonly Part[] | undefined => {
    if (!isEqual(old, now)) return undefined;
    const found = new Map<string, Part>();
    const next = [...referencesOf(now)];
    for (let pointer = next.pop(); pointer !== undefined; pointer = next.pop()) {
      if (found.has(pointer)) continue;
      if (!isEqualDefinition(pointer)) return undefined;
      const target = partAt(newDocument, pointer);
      if (target === undefined) continue;
      found.set(pointer, target);
      next.push(...referencesOf(target));
    }
    return [...found.values()];
  };
  return {
    targets(old, now) {
      const key = `${old.pointer} ${now.pointer}`;
      if (!results.has(key)) results.set(key, find(old, now));
      return results.get(key);
    },
  };
}

function referencesIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const pointer = name === "$ref" ? localPointer(member) : undefined;
    return pointer === undefined ? referencesIn(member) : [pointer];
  });
}
