import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "../../generator/src/json.ts";
import { pointerBelow, pointerSegments } from "../../generator/src/pointer.ts";

/** A value of a document, with its JSON pointer. */
export interface Part {
  readonly value: unknown;
  readonly pointer: string;
}

/** A part in both documents; undefined where a document lacks it. */
export interface Pair {
  readonly old: Part | undefined;
  readonly now: Part | undefined;
}

/** Returns a member of an object or an item of an array; undefined if there is none. */
export function memberOf(part: Part | undefined, key: string | number): Part | undefined {
  if (part === undefined || typeof part.value !== "object" || part.value === null) return undefined;
  const found = Object.getOwnPropertyDescriptor(part.value, key);
  // The length of an array is its own property, and no item.
  if (!found?.enumerable) return undefined;
  return { value: found.value, pointer: pointerBelow(part.pointer, key) };
}

/** Returns a member of both parts. */
export function members({ old, now }: Pair, name: string | number): Pair {
  return { old: memberOf(old, name), now: memberOf(now, name) };
}

export function itemsOf(part: Part | undefined): readonly Part[] {
  if (part === undefined || !Array.isArray(part.value)) return [];
  return part.value.map((value, index) => ({ value, pointer: pointerBelow(part.pointer, index) }));
}

export function keysOf(part: Part | undefined): readonly string[] {
  return part !== undefined && isJsonObject(part.value) ? Object.keys(part.value) : [];
}

/** Returns the keys of two objects, each once, those of the first object first. */
export function allKeys(old: Part | undefined, now: Part | undefined): readonly string[] {
  return [...new Set([...keysOf(old), ...keysOf(now)])];
}

export function textOf(part: Part | undefined, key: string): string | undefined {
  const value = memberOf(part, key)?.value;
  return typeof value === "string" ? value : undefined;
}

export function isEqual(old: Part | undefined, now: Part | undefined): boolean {
  return isDeepStrictEqual(old?.value, now?.value);
}

/** Returns how a part that differs has come to do so. */
export function changeOf({ old, now }: Pair): "added" | "removed" | "changed" {
  if (old === undefined) return "added";
  return now === undefined ? "removed" : "changed";
}

/** Returns the part of a document that a JSON pointer names; undefined if there is none. */
export function partAt(document: unknown, pointer: string): Part | undefined {
  let part: Part | undefined = { value: document, pointer: "" };
  for (const segment of pointerSegments(pointer)) part = memberOf(part, segment);
  return part;
}

/** Returns the pointer of a reference within its document; undefined for any other value. */
export function localPointer(reference: unknown): string | undefined {
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return undefined;
  }
}

/** Follows references from a part to what they name. Returns the part itself if that cannot be found. */
export function followed(part: Part, document: unknown): Part {
  const seen = new Set<string>();
  let target = part;
  for (;;) {
    const reference = memberOf(target, "$ref");
    if (reference === undefined) return target;
    const pointer = localPointer(reference.value);
    const next = pointer === undefined || seen.has(pointer) ? undefined : partAt(document, pointer);
    if (pointer === undefined || next === undefined) return part;
    seen.add(pointer);
    target = next;
  }
}
