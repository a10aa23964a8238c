import { isDeepStrictEqual } from "node:util";
import type { Comparison } from "./comparison.ts";
import { isWithin, listedValues, typesOf, typeText } from "./value-types.ts";

/** Compares `type`, `enum` and `const`. Returns false if no value has a type of both schemas. */
export function compareValues(comparison: Comparison): boolean {
  const oldValues = listedValues(comparison.old);
  const newValues = listedValues(comparison.now);
  if (oldValues !== undefined && newValues !== undefined) {
    compareLists(oldValues, newValues, comparison);
    return true;
  }
  const hasCommonType = compareTypes(comparison);
  const words = { old: oldValues, now: newValues };
  if (oldValues !== undefined) comparison.add("enum-removed", keywordOf(comparison.old), words);
  if (newValues !== undefined) comparison.add("enum-added", keywordOf(comparison.now), words);
  return hasCommonType;
}

const keywordOf = (view: Comparison["old"]) => (view.keywords.has("const") ? "const" : "enum");

function compareLists(old: readonly unknown[], now: readonly unknown[], comparison: Comparison): void {
  const { walk } = comparison;
  const lacks = (values: readonly unknown[]) => (value: unknown) =>
    !values.some((other) => isDeepStrictEqual(other, value));
  for (const value of now.filter(lacks(old)))
    comparison.add(
      walk.isOpen ? "enum-value-added-open" : "enum-value-added",
      keywordOf(comparison.now),
      { name: JSON.stringify(value) },
      { old: undefined, now: comparison.now.keywords.get(keywordOf(comparison.now)) },
    );
  for (const value of old.filter(lacks(now)))
    comparison.add(
      walk.isOpen ? "enum-value-removed-open" : "enum-value-removed",
      keywordOf(comparison.old),
      { name: JSON.stringify(value) },
      { old: comparison.old.keywords.get(keywordOf(comparison.old)), now: undefined },
    );
}

/** Compares the types of values, and null apart from the others. */
function compareTypes(comparison: Comparison): boolean {
  const old = typesOf(comparison.old);
  const now = typesOf(comparison.now);
  const hasOldNull = old.delete("null");
  const hasNewNull = now.delete("null");
  const words = { old: typeText(old), now: typeText(now) };
  if (!isWithin(old, now) || !isWithin(now, old)) {
    if (old.size > 0 && isWithin(old, now)) comparison.add("type-widened", "type", words);
    else if (now.size > 0 && isWithin(now, old)) comparison.add("type-narrowed", "type", words);
    else comparison.add("type-changed", "type", words);
  }
  if (!hasOldNull && hasNewNull) comparison.add("nullable-added", "type");
  if (hasOldNull && !hasNewNull) comparison.add("nullable-removed", "type");
  return [...old].some((type) => now.has(type)) || (hasOldNull && hasNewNull);
}
