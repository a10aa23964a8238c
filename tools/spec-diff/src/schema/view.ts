import { isJsonObject } from "../../../generator/src/json.ts";
import { itemsOf, keysOf, localPointer, memberOf, type Part, partAt } from "../part.ts";
import { assertionNames, isKeyword, isKnown, type Keyword } from "./keywords.ts";

/** A schema with its references followed. */
export interface View {
  /** The schema in the document; undefined where the document has none, which allows any value. */
  readonly part: Part | undefined;
  /** The schemas that references name, with the first one last; empty without a reference. */
  readonly targets: readonly Part[];
  /** True for `false`, which allows no value. */
  readonly isNever: boolean;
  /** True if no keyword restricts the value. */
  readonly isAny: boolean;
  /** Keywords that the rules know, also those beside a reference. */
  readonly keywords: ReadonlyMap<Keyword, Part>;
  /** Members that no rule knows: other keywords, and keywords with an unusual value. */
  readonly others: ReadonlyMap<string, Part>;
}

export function viewOf(part: Part | undefined, document: unknown): View {
  const keywords = new Map<Keyword, Part>();
  const others = new Map<string, Part>();
  const targets: Part[] = [];
  let isNever = part?.value === false;
  for (let schema = part; schema !== undefined; ) {
    if (!isJsonObject(schema.value)) {
      isNever ||= schema.value === false;
      if (typeof schema.value !== "boolean") others.set("", schema);
      break;
    }
    const reference = memberOf(schema, "$ref");
    const target = reference === undefined ? undefined : followedOnce(schema, document, targets);
    for (const key of keysOf(schema)) {
      const member = memberOf(schema, key);
      if (member === undefined || (key === "$ref" && target !== undefined)) continue;
      // A keyword beside a reference stands before that of the referenced schema, whose own comparison shows the latter.
      if (isKeyword(key) && keywords.has(key)) continue;
      if (isKeyword(key) && isKnown(key, member.value)) keywords.set(key, member);
      else if (!others.has(key)) others.set(key, member);
    }
    if (target !== undefined) targets.unshift(target);
    schema = target;
  }
  const isAny = !isNever && others.size === 0 && ![...keywords.keys()].some((key) => assertionNames.has(key));
  return { part, targets, isNever, isAny, keywords, others };
}

/** Follows one reference. Returns undefined for one that leads nowhere, or in a circle. */
function followedOnce(schema: Part, document: unknown, seen: readonly Part[]): Part | undefined {
  const pointer = localPointer(memberOf(schema, "$ref")?.value);
  if (pointer === undefined || pointer === schema.pointer || seen.some((one) => one.pointer === pointer))
    return undefined;
  return partAt(document, pointer);
}

/** Returns the names of the members that a schema requires. */
export function requiredNames(view: View): ReadonlySet<string> {
  return new Set(itemsOf(view.keywords.get("required")).map(({ value }) => String(value)));
}

export function valueAt(view: View, keyword: Keyword): unknown {
  return view.keywords.get(keyword)?.value;
}
