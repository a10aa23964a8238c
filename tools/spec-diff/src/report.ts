import type { Part } from "./part.ts";
import { type Direction, type Level, levelOf, type Rule, type RuleName, rules } from "./rules.ts";

/** A change between two documents. */
export interface Change {
  readonly level: Level;
  readonly rule: RuleName;
  readonly direction: Direction;
  /** JSON pointer of the changed part. */
  readonly pointer: string;
  /** Document of the pointer: `old` for what is removed. */
  readonly document: "old" | "new";
  /** Methods whose params, result or errors have the part; empty for other parts. */
  readonly methods: readonly string[];
  readonly text: string;
}

export interface Words {
  readonly name?: string;
  readonly old?: unknown;
  readonly now?: unknown;
}

export interface Place {
  readonly direction: Direction;
  readonly method?: string | undefined;
}

/** Collects the changes, each once, with all methods in which it is met. */
export interface Report {
  /** Adds a change at a part of the new document, or at one of the old document if the new one lacks it. */
  add(rule: RuleName, place: Place, old: Part | undefined, now: Part | undefined, words?: Words): void;
  readonly size: number;
  changes(): readonly Change[];
}

export function createReport(): Report {
  const found = new Map<string, Change & { readonly methods: string[] }>();
  return {
    add(rule, { direction, method }, old, now, words = {}) {
      const { says }: Rule = rules[rule];
      const pointer = (now ?? old)?.pointer ?? "";
      const text = sentence(says, {
        name: pointer.split("/").at(-1) ?? "",
        old: old?.value,
        now: now?.value,
        ...words,
      });
      const key = JSON.stringify([rule, direction, pointer, text]);
      const document = now === undefined && old !== undefined ? "old" : "new";
      const change = found.get(key) ?? {
        level: levelOf(rule, direction),
        rule,
        direction,
        pointer,
        document,
        methods: [],
        text,
      };
      if (method !== undefined && !change.methods.includes(method)) change.methods.push(method);
      found.set(key, change);
    },
    get size() {
      return found.size;
    },
    changes: () => [...found.values()],
  };
}

const MOST_CHARACTERS = 80;

function sentence(says: string, words: Words): string {
  const fields: Readonly<Record<string, string>> = {
    name: words.name ?? "",
    old: short(words.old),
    new: short(words.now),
  };
  return says.replaceAll(/\{(name|old|new)\}/g, (_, field: string) => fields[field] ?? "");
}

function short(value: unknown): string {
  const text = value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
