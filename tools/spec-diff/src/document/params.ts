import { isEqual, memberOf, members, type Pair, type Part } from "../part.ts";
import type { Place } from "../report.ts";
import {
  areLists,
  type Context,
  compareFlag,
  compareMembers,
  elsewhere,
  type Item,
  type ItemPair,
  labelOf,
  matched,
  nameOf,
  nowhere,
  reordered,
  text,
} from "./context.ts";

type Structure = "by-position" | "by-name" | "either";

export function structureOf(part: Part | undefined): Structure {
  return part?.value === "by-position" || part?.value === "by-name" ? part.value : "either";
}

/** Compares how params can be sent. */
export function compareStructure(pair: Pair, { report }: Context, place: Place): void {
  const [old, now] = [structureOf(pair.old), structureOf(pair.now)];
  if (old !== now)
    report.add(now === "either" ? "param-structure-widened" : "param-structure-changed", place, pair.old, pair.now, {
      old,
      now,
    });
  else if (!isEqual(pair.old, pair.now)) report.add("restated", nowhere, pair.old, pair.now);
}

export interface Structures {
  readonly old: Structure;
  readonly now: Structure;
}

/** Compares the params of a method. */
export function compareParams(pair: Pair, structures: Structures, context: Context, place: Place): void {
  if (!areLists(pair, context)) return;
  const { report } = context;
  const byPosition = structures.old !== "by-name" && structures.now !== "by-name";
  const byName = structures.old !== "by-position" && structures.now !== "by-position";
  const { pairs, added, removed } = matched(pair, context, nameOf);
  const renamed = byPosition ? renamedParams(added, removed, context) : [];
  const all = [...pairs, ...renamed];

  for (const { old, now } of renamed) {
    const rule = byName ? "param-renamed" : "param-renamed-by-position";
    report.add(rule, place, memberOf(old, "name"), memberOf(now, "name"));
  }
  for (const now of added.filter((item) => !renamed.some((one) => one.now === item))) {
    const isInserted = byPosition && all.some((one) => one.now.index > now.index);
    const rule = isRequired(now) ? "param-added-required" : isInserted ? "param-inserted" : "param-added";
    report.add(rule, place, undefined, now, { name: labelOf(now) });
  }
  for (const old of removed.filter((item) => !renamed.some((one) => one.old === item)))
    report.add("param-removed", place, old, undefined, { name: labelOf(old) });
  for (const { old, now } of reordered(all)) {
    const words = { name: labelOf(now), old: old.index, now: now.index };
    report.add(byPosition ? "param-moved" : "param-moved-by-name", place, old, now, words);
  }
  for (const param of all) compareParam(param, context, place);
}

export const isRequired = (item: Part | undefined) => memberOf(item, "required")?.value === true;

/** Pairs a removed and an added param at one position whose values are the same. */
function renamedParams(added: readonly Item[], removed: readonly Item[], context: Context): readonly ItemPair[] {
  return removed.flatMap((old) => {
    const now = added.find(({ index }) => index === old.index);
    if (now === undefined || !context.isSameSchema(members({ old, now }, "schema"))) return [];
    return [{ old, now }];
  });
}

function compareParam({ old, now }: ItemPair, context: Context, place: Place): void {
  const { report } = context;
  if (isRequired(old) !== isRequired(now))
    report.add(isRequired(now) ? "param-required" : "param-optional", place, old, now, { name: labelOf(now) });
  compareDescriptor({ old, now }, context, place);
}

/** Compares a param or a result, but not whether it is required. */
export function compareDescriptor(pair: Pair, context: Context, place: Place, compareName = elsewhere): void {
  compareMembers(
    pair,
    {
      name: compareName,
      required: elsewhere,
      summary: text,
      description: text,
      schema: (schemas) => context.compareSchemas(schemas, place),
      deprecated: compareDeprecation,
    },
    context,
  );
}

export function compareDeprecation(pair: Pair, context: Context): void {
  const parent = (pair.now ?? pair.old)?.pointer.split("/").at(-2) ?? "";
  compareFlag(pair, context, "deprecated", "undeprecated", parent);
}
