import { isJsonObject } from "../../../generator/src/json.ts";
import { itemsOf, memberOf, type Part, textOf } from "../part.ts";
import type { Comparison, Walk } from "./comparison.ts";
import { areDisjoint } from "./disjoint.ts";
import { assertionNames } from "./keywords.ts";
import { isWithin, listedValues, typesOf, typeText } from "./value-types.ts";
import { type View, viewOf } from "./view.ts";

type Alternatives = "anyOf" | "oneOf";
const alternatives: readonly Alternatives[] = ["anyOf", "oneOf"];

/** Compares `allOf`, `anyOf` and `oneOf`. */
export function compareBranches(comparison: Comparison): void {
  const { old, now } = comparison;
  const [was, is] = [keywordOf(old), keywordOf(now)];
  if (was !== undefined && is !== undefined && was !== is) {
    comparison.add(
      is === "oneOf" ? "alternatives-exclusive" : "alternatives-inclusive",
      is,
      {},
      {
        old: old.keywords.get(was),
        now: now.keywords.get(is),
      },
    );
    comparison.touch(was);
    compareAlternatives(comparison, is, itemsOf(old.keywords.get(was)), itemsOf(now.keywords.get(is)));
  } else for (const keyword of alternatives) compareKeyword(comparison, keyword);
  compareAllOf(comparison);
}

/** Returns the only keyword of alternatives; undefined for none and for both. */
function keywordOf(view: View): Alternatives | undefined {
  const found = alternatives.filter((keyword) => view.keywords.has(keyword));
  return found.length === 1 ? found[0] : undefined;
}

/**
 * Compares a schema that has alternatives with one that has none, as if the latter were the only alternative. Returns
 * false, and compares nothing, for other schemas.
 */
export function compareWithSingle(comparison: Comparison): boolean {
  const { old, now } = comparison;
  const [was, is] = [onlyAlternatives(old), onlyAlternatives(now)];
  if (is !== undefined && isSingle(old)) {
    compareAlternatives(comparison, is, alone(old), itemsOf(now.keywords.get(is)));
    return true;
  }
  if (was !== undefined && isSingle(now)) {
    compareAlternatives(comparison, was, itemsOf(old.keywords.get(was)), alone(now));
    return true;
  }
  return false;
}

/** Returns a schema as an alternative, without the texts and the default, which stand beside alternatives. */
function alone({ part, targets }: View): readonly Part[] {
  if (part === undefined || targets.length > 0 || !isJsonObject(part.value)) return part === undefined ? [] : [part];
  const restricting = Object.entries(part.value).filter(([name]) => assertionNames.has(name));
  return [{ value: Object.fromEntries(restricting), pointer: part.pointer }];
}

/** Returns the keyword of alternatives if no other keyword restricts values. */
function onlyAlternatives(view: View): Alternatives | undefined {
  const keyword = keywordOf(view);
  return [...view.keywords.keys()].every((name) => name === keyword || !assertionNames.has(name)) ? keyword : undefined;
}

const isSingle = (view: View) => !view.isAny && !alternatives.some((keyword) => view.keywords.has(keyword));

function compareKeyword(comparison: Comparison, keyword: Alternatives): void {
  const [was, is] = [comparison.old.keywords.get(keyword), comparison.now.keywords.get(keyword)];
  if (was !== undefined && is !== undefined) compareAlternatives(comparison, keyword, itemsOf(was), itemsOf(is));
  else if (is !== undefined) comparison.add("condition-added", keyword, { name: keyword });
  else if (was !== undefined) comparison.add("condition-removed", keyword, { name: keyword });
}

function compareAlternatives(
  comparison: Comparison,
  keyword: Alternatives,
  old: readonly Part[],
  now: readonly Part[],
): void {
  const { walk } = comparison;
  const { pairs, added, removed } = matchBranches(old, now, walk);
  const { oldDocument, newDocument } = walk;
  const isOpen = (part: Part, document: unknown) => {
    const view = viewOf(part, document);
    return isCovered(view, old, oldDocument) && isCovered(view, now, newDocument);
  };
  /** With `oneOf`, a value that two alternatives allow is refused. */
  const isOverlapping = (part: Part, branches: readonly Part[], document: unknown) =>
    keyword === "oneOf" && branches.some((other) => other !== part && !areDisjoint(part, other, document));
  for (const [was, is] of pairs)
    comparison.compare(keyword, { old: was, now: is }, isOpen(was, oldDocument) && isOpen(is, newDocument));
  for (const is of added) {
    const rule = isOverlapping(is, now, newDocument)
      ? "branch-added-overlapping"
      : isOpen(is, newDocument)
        ? "branch-added-open"
        : "branch-added";
    comparison.add(rule, keyword, { name: keyword }, { old: undefined, now: is });
  }
  for (const was of removed) {
    const rule = isOverlapping(was, old, oldDocument)
      ? "branch-removed-overlapping"
      : isOpen(was, oldDocument)
        ? "branch-removed-open"
        : "branch-removed";
    comparison.add(rule, keyword, { name: keyword }, { old: was, now: undefined });
  }
  if (isReordered(pairs, old, now)) comparison.addText("branches-reordered", keyword, { name: keyword });
}

/** Returns true if a schema lists values, and an alternative allows any value of their types. */
function isCovered(listed: View, branches: readonly Part[], document: unknown): boolean {
  if (listedValues(listed) === undefined) return false;
  return branches
    .map((branch) => viewOf(branch, document))
    .some((view) => {
      const restricting = [...view.keywords.keys()].filter((name) => assertionNames.has(name));
      return restricting.join() === "type" && view.others.size === 0 && isWithin(typesOf(listed), typesOf(view));
    });
}

function compareAllOf(comparison: Comparison): void {
  const old = itemsOf(comparison.old.keywords.get("allOf"));
  const now = itemsOf(comparison.now.keywords.get("allOf"));
  const { pairs, added, removed } = matchBranches(old, now, comparison.walk);
  for (const [was, is] of pairs) comparison.compare("allOf", { old: was, now: is });
  for (const is of added) comparison.add("part-added", "allOf", {}, { old: undefined, now: is });
  for (const was of removed) comparison.add("part-removed", "allOf", {}, { old: was, now: undefined });
  if (isReordered(pairs, old, now)) comparison.addText("branches-reordered", "allOf", { name: "allOf" });
}

interface Matching {
  readonly pairs: readonly (readonly [Part, Part])[];
  readonly added: readonly Part[];
  readonly removed: readonly Part[];
}

/** Pairs the schemas of two lists: equal ones first, then those with one reference, one title, and the same types. */
function matchBranches(old: readonly Part[], now: readonly Part[], walk: Walk): Matching {
  const pairs: (readonly [Part, Part])[] = [];
  let [oldLeft, newLeft] = [old, now];
  const pairBy = (fits: (was: Part, is: Part) => boolean) => {
    for (const was of oldLeft) {
      const is = newLeft.find((one) => fits(was, one));
      if (is === undefined) continue;
      pairs.push([was, is]);
      oldLeft = oldLeft.filter((one) => one !== was);
      newLeft = newLeft.filter((one) => one !== is);
    }
  };
  const isShared = (key: (part: Part, document: unknown) => string | undefined) => (was: Part, is: Part) => {
    const value = key(was, walk.oldDocument);
    return value !== undefined && value === key(is, walk.newDocument);
  };
  pairBy((was, is) => walk.isSame(was, is));
  pairBy(isShared((part) => textOf(part, "$ref")));
  pairBy(isShared(constantsOf));
  pairBy(isShared((part) => textOf(part, "title")));
  pairBy(isShared((part, document) => typeText(typesOf(viewOf(part, document)))));
  return { pairs, added: newLeft, removed: oldLeft };
}

/** Returns the members of an object that have one value, which tell alternatives apart. */
function constantsOf(part: Part, document: unknown): string | undefined {
  const properties = viewOf(part, document).keywords.get("properties");
  const constants = Object.keys(Object(properties?.value)).flatMap((name) => {
    const values = listedValues(viewOf(memberOf(properties, name), document));
    return values?.length === 1 ? [[name, values[0]]] : [];
  });
  return constants.length === 0 ? undefined : JSON.stringify(constants.sort());
}

function isReordered(pairs: Matching["pairs"], old: readonly Part[], now: readonly Part[]): boolean {
  const order = old.flatMap((was) => pairs.filter(([one]) => one === was).map(([, is]) => now.indexOf(is)));
  return order.some((index, at) => at > 0 && index < (order[at - 1] ?? 0));
}
