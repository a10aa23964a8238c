import { isEqual, type Part } from "../part.ts";
import { createReport, type Report } from "../report.ts";
import type { Direction } from "../rules.ts";
import { compareAnnotations } from "./annotations.ts";
import { compareBounds } from "./bounds.ts";
import { compareBranches, compareWithSingle } from "./branches.ts";
import { type Comparison, createComparison, partsOf, type Walk } from "./comparison.ts";
import { compareConditions } from "./conditions.ts";
import type { Equality } from "./equality.ts";
import { compareItems } from "./items.ts";
import { assertionNames, isKeyword } from "./keywords.ts";
import { compareMembers } from "./members.ts";
import type { Unchanged } from "./unchanged.ts";
import { compareValues } from "./values.ts";
import { type View, viewOf } from "./view.ts";

export interface SchemaOptions {
  readonly oldDocument: unknown;
  readonly newDocument: unknown;
  readonly report: Report;
  readonly direction: Direction;
  readonly method?: string | undefined;
  /** Pairs of schemas that are known to be equal or not, which comparisons of the same documents share. */
  readonly equality: Equality;
  readonly unchanged: Unchanged;
  /** Gets each definition that a reference names, in either document. */
  readonly onTarget?: (target: Part) => void;
}

/** Keywords with schemas below them, which are compared one by one. */
const nesting: readonly string[] = [
  "properties",
  "patternProperties",
  "prefixItems",
  "anyOf",
  "oneOf",
  "allOf",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "items",
  "unevaluatedItems",
];

/** Returns a function that compares schemas of one direction. It returns true if they do not allow the same values. */
export function createSchemaDiff(options: SchemaOptions): Walk["compare"] {
  const { oldDocument, newDocument, report, direction, method, onTarget, equality, unchanged } = options;
  /** Results of compared pairs. A pair that is met again within itself, in a recursive schema, counts as equal. */
  const results = new Map<string, boolean>();

  const isSame = (old: Part | undefined, now: Part | undefined): boolean =>
    equality.get(`${old?.pointer} ${now?.pointer}`, () => {
      const silent = { oldDocument, newDocument, report: createReport(), direction, equality, unchanged };
      return !createSchemaDiff(silent)(old, now);
    });

  const compare = (old: Part | undefined, now: Part | undefined, isOpen = false): boolean => {
    if (old === undefined && now === undefined) return false;
    const key = `${old?.pointer} ${now?.pointer} ${isOpen}`;
    const known = results.get(key);
    if (known !== undefined) return known;
    results.set(key, false);
    const targets = old !== undefined && now !== undefined ? unchanged.targets(old, now) : undefined;
    for (const target of targets ?? []) onTarget?.(target);
    if (targets !== undefined) return false;
    const walk: Walk = { oldDocument, newDocument, report, direction, method, isOpen, compare, isSame };
    const comparison = createComparison(viewOf(old, oldDocument), viewOf(now, newDocument), walk);
    for (const target of [...comparison.old.targets, ...comparison.now.targets]) onTarget?.(target);
    const differs = compareViews(comparison);
    results.set(key, differs);
    return differs;
  };
  return compare;
}

function compareViews(comparison: Comparison): boolean {
  const { old, now } = comparison;
  compareAnnotations(comparison);
  const hasUnknown = compareUnknown(comparison);
  if (old.isNever || now.isNever) {
    if (old.isNever !== now.isNever) addWhole(comparison, old.isNever ? "schema-opened" : "schema-closed");
  } else if (old.isAny && now.isAny) {
    const kinds = [old, now].map(({ part }) => typeof part?.value);
    const place = { direction: "document", method: comparison.walk.method } as const;
    if (kinds[0] !== kinds[1]) comparison.walk.report.add("restated", place, old.part, now.part);
  } else if (old.isAny || now.isAny) {
    addWhole(comparison, old.isAny ? "schema-narrowed" : "schema-widened");
  } else if (!compareWithSingle(comparison)) {
    if (compareValues(comparison)) {
      compareBounds(comparison);
      compareConditions(comparison);
      compareMembers(comparison);
      compareItems(comparison);
      compareBranches(comparison);
      compareWording(comparison);
    }
  } else if (!comparison.isDifferent) comparison.addText("restated", "type", { name: "the schema" });
  return comparison.isDifferent || hasUnknown;
}

function addWhole(
  comparison: Comparison,
  rule: "schema-opened" | "schema-closed" | "schema-narrowed" | "schema-widened",
) {
  const { part } = comparison.now.part === undefined ? comparison.old : comparison.now;
  const name = part?.pointer.split("/").at(-1) ?? "";
  comparison.add(rule, "type", { name }, { old: comparison.old.part, now: comparison.now.part });
}

/** Reports members that no rule knows. Returns true if there are some. */
function compareUnknown({ old, now, walk }: Comparison): boolean {
  let differs = false;
  for (const name of new Set([...old.others.keys(), ...now.others.keys()])) {
    const [was, is] = [partOf(old, name), partOf(now, name)];
    if (isEqual(was, is)) continue;
    differs = true;
    walk.report.add(name === "$ref" ? "reference-changed" : "no-rule", walk, was, is);
  }
  return differs;
}

/** Returns a member, also one that is usual in this document and unusual in the other one. */
function partOf(view: View, name: string): Part | undefined {
  return view.others.get(name) ?? (isKeyword(name) ? view.keywords.get(name) : undefined);
}

/** Reports keywords that differ and still allow the same values, so that no change is silent. */
function compareWording(comparison: Comparison): void {
  const { old, now, touched } = comparison;
  for (const name of new Set([...old.keywords.keys(), ...now.keywords.keys()])) {
    if (touched.has(name) || !assertionNames.has(name)) continue;
    const { old: was, now: is } = partsOf(comparison, name);
    const isCompared = nesting.includes(name) && typeof was?.value === "object" && typeof is?.value === "object";
    if (!isCompared && !isEqual(was, is)) comparison.addText("restated", name, { name });
  }
}
