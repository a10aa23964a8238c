import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject } from "../../../generator/src/json.ts";
import { allKeys, followed, isEqual, itemsOf, members, type Pair, type Part, textOf } from "../part.ts";
import type { Place, Report } from "../report.ts";
import type { Direction, RuleName } from "../rules.ts";

/** The two documents and what their comparison has found. */
export interface Context {
  readonly oldDocument: unknown;
  readonly newDocument: unknown;
  readonly report: Report;
  /** Compares schemas in a direction. */
  compareSchemas(pair: Pair, place: Place): void;
  /** Returns true if two schemas allow the same values. */
  isSameSchema(pair: Pair): boolean;
  /** Returns a context that reports to another report. */
  reportingTo(report: Report): Context;
}

export const nowhere: Place = { direction: "document" };

/** Compares one member of objects. */
export type MemberRule = (pair: Pair, context: Context, name: string) => void;

/** Reports a member that differs by one rule. */
export function differing(rule: RuleName, direction: Direction = "document"): MemberRule {
  return (pair, { report }, name) => {
    if (!isEqual(pair.old, pair.now)) report.add(rule, { direction }, pair.old, pair.now, { name });
  };
}

export const text = differing("text");

/** Compares a member that is false by default. */
export function compareFlag(
  { old, now }: Pair,
  { report }: Context,
  set: RuleName,
  unset: RuleName,
  name: string,
): void {
  const [was, is] = [old?.value === true, now?.value === true];
  if (was !== is) report.add(is ? set : unset, nowhere, old, now, { name });
  else if (!isEqual(old, now)) report.add("restated", nowhere, old, now);
}

/** For members that another comparison reads. */
export const elsewhere: MemberRule = () => {};

/**
 * Compares the members of two objects by the rules for their names. A member without a rule, and two values of which
 * one is no object, are reported as changes that no rule knows.
 */
export function compareMembers(
  pair: Pair,
  rules: Readonly<Record<string, MemberRule>>,
  context: Context,
  otherwise: MemberRule = differing("no-rule"),
): void {
  const { old, now } = pair;
  if (old === undefined && now === undefined) return;
  const areObjects = [old, now].every((part) => part === undefined || isJsonObject(part.value));
  if (!areObjects) {
    if (!isEqual(old, now)) context.report.add("no-rule", nowhere, old, now);
    return;
  }
  const names = allKeys(old, now);
  // Absent and empty mean the same.
  if (names.length === 0 && !isEqual(old, now)) context.report.add("restated", nowhere, old, now);
  for (const name of names) {
    const rule = (Object.hasOwn(rules, name) ? rules[name] : undefined) ?? otherwise;
    rule(members(pair, name), context, name);
  }
}

/** Follows the references of both parts. */
export function followedPair({ old, now }: Pair, context: Context): Pair {
  compareBeside({ old, now }, context);
  return {
    old: old === undefined ? undefined : followed(old, context.oldDocument),
    now: now === undefined ? undefined : followed(now, context.newDocument),
  };
}

/** Reports members beside a reference, which OpenRPC ignores. */
function compareBeside({ old, now }: Pair, { report }: Context): void {
  if (!isDeepStrictEqual(besideReference(old), besideReference(now))) report.add("restated", nowhere, old, now);
}

function besideReference(part: Part | undefined): JsonObject {
  if (part === undefined || !isJsonObject(part.value)) return {};
  const { $ref, ...others } = part.value;
  return $ref === undefined ? {} : others;
}

/** An item of a list, with its references followed. */
export interface Item extends Part {
  /** The item in the list, which can be a reference. */
  readonly entry: Part;
  readonly index: number;
}

/** The items of two lists, paired by their keys. */
export interface Matched {
  readonly pairs: readonly ItemPair[];
  readonly added: readonly Item[];
  readonly removed: readonly Item[];
}

export interface ItemPair {
  readonly old: Item;
  readonly now: Item;
}

/** Pairs items of two lists, each with its references followed, by a key that both documents have once. */
export function matched(pair: Pair, context: Context, keyOf: (item: Part) => string | undefined): Matched {
  const oldItems = listed(pair.old, context.oldDocument, keyOf);
  const newItems = listed(pair.now, context.newDocument, keyOf);
  const pairs = [...oldItems].flatMap(([key, old]) => {
    const now = newItems.get(key);
    return now === undefined ? [] : [{ old, now }];
  });
  for (const { old, now } of pairs) compareBeside({ old: old.entry, now: now.entry }, context);
  return {
    pairs,
    added: [...newItems].filter(([key]) => !oldItems.has(key)).map(([, item]) => item),
    removed: [...oldItems].filter(([key]) => !newItems.has(key)).map(([, item]) => item),
  };
}

/** Returns the items by their keys. A key that is missing or used again gets a number, so that no item is lost. */
function listed(
  part: Part | undefined,
  document: unknown,
  keyOf: (item: Part) => string | undefined,
): ReadonlyMap<string, Item> {
  const found = new Map<string, Item>();
  for (const [index, entry] of itemsOf(part).entries()) {
    const item: Item = { ...followed(entry, document), entry, index };
    const key = keyOf(item) ?? "";
    let unique = key;
    for (let count = 2; found.has(unique); count++) unique = `${key} ${count}`;
    found.set(unique, item);
  }
  return found;
}

/** Returns the pairs that stand in another order, by their order in the old list. */
export function reordered(pairs: readonly ItemPair[]): readonly ItemPair[] {
  const before = pairs.toSorted((one, other) => one.old.index - other.old.index);
  const after = pairs.toSorted((one, other) => one.now.index - other.now.index);
  return before.filter((pair, position) => after[position] !== pair);
}

export const nameOf = (item: Part): string | undefined => textOf(item, "name");

/** Returns the name of an item for a sentence. */
export function labelOf(item: Part): string {
  return nameOf(item) ?? item.pointer.split("/").at(-1) ?? "";
}

/** Returns true if both lists can be read. Reports a change of others, and an empty list where there was none. */
export function areLists({ old, now }: Pair, { report }: Context): boolean {
  const areReadable = [old, now].every((part) => part === undefined || Array.isArray(part.value));
  const areEmpty = itemsOf(old).length === 0 && itemsOf(now).length === 0;
  if (!areReadable && !isEqual(old, now)) report.add("no-rule", nowhere, old, now);
  else if (areEmpty && !isEqual(old, now)) report.add("restated", nowhere, old, now);
  return areReadable;
}
