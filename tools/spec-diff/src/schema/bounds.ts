import type { Comparison } from "./comparison.ts";
import type { Keyword } from "./keywords.ts";
import { typesOf } from "./value-types.ts";
import { type View, valueAt } from "./view.ts";

/** Bounds of counts, with the value of a schema without them. */
const counts = [
  ["minLength", 0],
  ["minItems", 0],
  ["minProperties", 0],
  ["minContains", 1],
  ["maxLength", Infinity],
  ["maxItems", Infinity],
  ["maxProperties", Infinity],
  ["maxContains", Infinity],
] as const;

export function compareBounds(comparison: Comparison): void {
  const { old, now } = comparison;
  for (const [keyword, without] of counts) {
    const values = { old: numberOf(old, keyword) ?? without, now: numberOf(now, keyword) ?? without };
    if (values.old === values.now) continue;
    const isTighter = keyword.startsWith("min") ? values.now > values.old : values.now < values.old;
    comparison.add(isTighter ? "bound-tightened" : "bound-loosened", keyword, rawWords(comparison, keyword));
  }
  compareLimits(comparison, "minimum", "exclusiveMinimum", 1);
  compareLimits(comparison, "maximum", "exclusiveMaximum", -1);
  compareMultiple(comparison);
  const [wasUnique, isUnique] = [valueAt(old, "uniqueItems") === true, valueAt(now, "uniqueItems") === true];
  if (wasUnique !== isUnique)
    comparison.add(isUnique ? "bound-tightened" : "bound-loosened", "uniqueItems", rawWords(comparison, "uniqueItems"));
}

function numberOf(view: View, keyword: Keyword): number | undefined {
  const value = valueAt(view, keyword);
  return typeof value === "number" ? value : undefined;
}

function rawWords({ old, now }: Comparison, keyword: Keyword) {
  return { name: keyword, old: valueAt(old, keyword), now: valueAt(now, keyword) };
}

interface Limit {
  readonly value: number;
  readonly isExclusive: boolean;
  readonly keyword: Keyword;
}

/** Returns the limit of a schema, with `sign` -1 as if it were a lower one: the largest value has the effect. */
function limitOf(view: View, inclusive: Keyword, exclusive: Keyword, sign: 1 | -1): Limit {
  const none: Limit = { value: -Infinity, isExclusive: false, keyword: inclusive };
  const limits = [inclusive, exclusive].flatMap((keyword) => {
    const value = numberOf(view, keyword);
    if (value === undefined) return [];
    return [integerLimit({ value: value * sign, isExclusive: keyword === exclusive, keyword }, view)];
  });
  return limits.reduce((most, limit) => (tightness(limit, most) > 0 ? limit : most), none);
}

/** Returns the smallest integer that a limit allows, for schemas of integers: `> 0` is `>= 1`. */
function integerLimit(limit: Limit, view: View): Limit {
  if (typesOf(view).has("fraction")) return limit;
  const value = limit.isExclusive ? Math.floor(limit.value) + 1 : Math.ceil(limit.value);
  return { ...limit, value, isExclusive: false };
}

/** Returns a number above 0 if the first limit allows less than the second. */
function tightness(one: Limit, other: Limit): number {
  return one.value === other.value ? Number(one.isExclusive) - Number(other.isExclusive) : one.value - other.value;
}

function compareLimits(comparison: Comparison, inclusive: Keyword, exclusive: Keyword, sign: 1 | -1): void {
  const old = limitOf(comparison.old, inclusive, exclusive, sign);
  const now = limitOf(comparison.now, inclusive, exclusive, sign);
  const difference = tightness(now, old);
  // Two infinities have no difference, but the subtraction gives NaN.
  if (difference === 0 || Number.isNaN(difference)) return;
  const keyword = Number.isFinite(now.value) ? now.keyword : old.keyword;
  const words = {
    name: keyword,
    old: numberOf(comparison.old, old.keyword),
    now: numberOf(comparison.now, now.keyword),
  };
  comparison.add(difference > 0 ? "bound-tightened" : "bound-loosened", keyword, words);
}

function compareMultiple(comparison: Comparison): void {
  const old = numberOf(comparison.old, "multipleOf");
  const now = numberOf(comparison.now, "multipleOf");
  if (old === now) return;
  const words = { name: "multipleOf", old, now };
  if (now === undefined || (old !== undefined && old % now === 0))
    comparison.add("bound-loosened", "multipleOf", words);
  else if (old === undefined || now % old === 0) comparison.add("bound-tightened", "multipleOf", words);
  else comparison.add("bound-changed", "multipleOf", words);
}
