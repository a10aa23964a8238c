import type { Pair, Part } from "../part.ts";
import type { Report, Words } from "../report.ts";
import type { Direction, RuleName } from "../rules.ts";
import type { Keyword } from "./keywords.ts";
import type { View } from "./view.ts";

/** A comparison of the schemas of one direction of one method. */
export interface Walk {
  readonly oldDocument: unknown;
  readonly newDocument: unknown;
  readonly report: Report;
  readonly direction: Direction;
  readonly method: string | undefined;
  /** True for values of an enumeration beside which the schema allows any other value. */
  readonly isOpen: boolean;
  /** Compares two schemas. Returns true if they do not allow the same values. */
  compare(old: Part | undefined, now: Part | undefined, isOpen?: boolean): boolean;
  /** Returns true if two schemas allow the same values, and reports nothing. */
  isSame(old: Part | undefined, now: Part | undefined): boolean;
}

/** The comparison of two schemas. */
export interface Comparison {
  readonly old: View;
  readonly now: View;
  readonly walk: Walk;
  /** Reports a change of a keyword, at `parts` in place of the keyword if given. */
  add(rule: RuleName, keyword: Keyword, words?: Words, parts?: Pair): void;
  /** Reports a change that does not matter to values. */
  addText(rule: RuleName, keyword: Keyword, words?: Words): void;
  /** Notes that a reported change explains the difference of a keyword. */
  touch(keyword: Keyword): void;
  /** Compares the schemas in a keyword. */
  compare(keyword: Keyword, parts: Pair, isOpen?: boolean): void;
  /** Keywords of which a change was reported. */
  readonly touched: ReadonlySet<Keyword>;
  /** True if a reported change matters to values. */
  readonly isDifferent: boolean;
}

/** Returns a keyword of both schemas. */
export function partsOf({ old, now }: Pick<Comparison, "old" | "now">, keyword: Keyword): Pair {
  return { old: old.keywords.get(keyword), now: now.keywords.get(keyword) };
}

export function createComparison(old: View, now: View, walk: Walk): Comparison {
  const touched = new Set<Keyword>();
  let isDifferent = false;
  /** The keyword itself, or else the schema that has or lacks it, in the newest document that has one of them. */
  const placeOf = (keyword: Keyword): Pair => {
    const parts = partsOf({ old, now }, keyword);
    return parts.old === undefined && parts.now === undefined ? { old: old.part, now: now.part } : parts;
  };
  return {
    old,
    now,
    walk,
    add(rule, keyword, words, parts = placeOf(keyword)) {
      touched.add(keyword);
      isDifferent = true;
      walk.report.add(rule, walk, parts.old, parts.now, words);
    },
    addText(rule, keyword, words) {
      const parts = placeOf(keyword);
      walk.report.add(rule, { direction: "document", method: walk.method }, parts.old, parts.now, words);
    },
    compare(keyword, parts, isOpen) {
      if (!walk.compare(parts.old, parts.now, isOpen)) return;
      touched.add(keyword);
      isDifferent = true;
    },
    touch(keyword) {
      touched.add(keyword);
    },
    touched,
    get isDifferent() {
      return isDifferent;
    },
  };
}
