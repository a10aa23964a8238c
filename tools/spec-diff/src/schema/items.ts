import { itemsOf } from "../part.ts";
import { type Comparison, partsOf } from "./comparison.ts";

/** Compares the items of arrays. */
export function compareItems(comparison: Comparison): void {
  const rest = partsOf(comparison, "items");
  const prefix = partsOf(comparison, "prefixItems");
  const first = { old: itemsOf(prefix.old), now: itemsOf(prefix.now) };
  // Where only one schema describes a position, `items` of the other describes it.
  for (let index = 0; index < Math.max(first.old.length, first.now.length); index++)
    comparison.compare("prefixItems", { old: first.old[index] ?? rest.old, now: first.now[index] ?? rest.now });
  comparison.compare("items", rest);
  comparison.compare("unevaluatedItems", partsOf(comparison, "unevaluatedItems"));
}
