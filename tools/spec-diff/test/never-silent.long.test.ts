import fc from "fast-check";
import { expect, it } from "vitest";
import { isJsonObject } from "../../generator/src/json.ts";
import { pointerBelow, pointerSegments } from "../../generator/src/pointer.ts";
import { diffDocuments } from "../src/diff.ts";
import { partAt } from "../src/part.ts";
import { checkout, readSpec } from "../src/release/released.ts";

const spec = readSpec(checkout);

/** Returns the pointers of all values of a document. */
function pointersOf(value: unknown, pointer = ""): readonly string[] {
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const below = members.flatMap(([name, member]) => pointersOf(member, pointerBelow(pointer, name)));
  return pointer === "" ? below : [pointer, ...below];
}

/** Removes a value of a document, or replaces it by another one of its kind. */
function mutated(document: unknown, pointer: string, isRemoval: boolean): unknown {
  const copy: unknown = structuredClone(document);
  const segments = pointerSegments(pointer);
  const name = segments.at(-1) ?? "";
  const parent = partAt(copy, pointerBelow("", ...segments.slice(0, -1)))?.value;
  if (Array.isArray(parent)) {
    if (isRemoval) parent.splice(Number(name), 1);
    else parent[Number(name)] = other(parent[Number(name)]);
  } else if (isJsonObject(parent)) {
    if (isRemoval) Reflect.deleteProperty(parent, name);
    else Reflect.set(parent, name, other(parent[name]));
  }
  return copy;
}

function other(value: unknown): unknown {
  if (typeof value === "string") return `${value} changed`;
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) return [...value, "changed"];
  return isJsonObject(value) ? { ...value, changed: true } : 1;
}

it("reports every single change of the interface", () => {
  fc.assert(
    fc.property(fc.constantFrom(...pointersOf(spec)), fc.boolean(), (pointer, isRemoval) => {
      const now = mutated(spec, pointer, isRemoval);
      const changes = diffDocuments(spec, now);
      expect(changes.length, `${isRemoval ? "removed" : "changed"} ${pointer}`).toBeGreaterThan(0);
      for (const change of changes)
        expect(partAt(change.document === "old" ? spec : now, change.pointer), change.pointer).toBeDefined();
    }),
    { numRuns: 200 },
  );
});
