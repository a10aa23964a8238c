import { allKeys, changeOf, isEqual, members, type Pair } from "../part.ts";
import { type Comparison, partsOf } from "./comparison.ts";
import type { Keyword } from "./keywords.ts";

/** Keywords whose values no program can order by what they allow, with the beginning of the names of their rules. */
const conditions: readonly (readonly [Keyword, "pattern" | "format" | "condition"])[] = [
  ["pattern", "pattern"],
  ["format", "format"],
  ["contentEncoding", "format"],
  ["contentMediaType", "format"],
  ["contentSchema", "condition"],
  ["dependentRequired", "condition"],
  ["dependentSchemas", "condition"],
  ["contains", "condition"],
  ["not", "condition"],
  ["then", "condition"],
  ["else", "condition"],
];

/** Keywords with a schema as their value. */
const schemas: readonly Keyword[] = ["contentSchema", "contains", "not", "if", "then", "else"];

/** Compares keywords by whether they are there and mean the same. */
export function compareConditions(comparison: Comparison): void {
  const { old, now } = comparison;
  for (const [keyword, kind] of conditions) {
    const parts = partsOf(comparison, keyword);
    if (isSame(keyword, parts, comparison)) continue;
    comparison.add(`${kind}-${changeOf(parts)}`, keyword, { name: keyword });
  }
  // Another condition can narrow and widen what is allowed.
  const hasEffect = [old, now].some(({ keywords }) => keywords.has("then") || keywords.has("else"));
  if (hasEffect && !isSame("if", partsOf(comparison, "if"), comparison))
    comparison.add("condition-changed", "if", { name: "if" });
}

function isSame(keyword: Keyword, pair: Pair, { walk }: Comparison): boolean {
  const { old, now } = pair;
  if (old === undefined || now === undefined) return old === now;
  if (schemas.includes(keyword)) return walk.isSame(old, now);
  if (keyword !== "dependentSchemas") return isEqual(old, now);
  return allKeys(old, now).every((name) => {
    const schema = members(pair, name);
    return walk.isSame(schema.old, schema.now);
  });
}
