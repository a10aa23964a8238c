import { allKeys, itemsOf, memberOf, members, type Part } from "../part.ts";
import { type Comparison, partsOf } from "./comparison.ts";
import { requiredNames, type View, valueAt } from "./view.ts";

/** Compares the members of objects. */
export function compareMembers(comparison: Comparison): void {
  compareProperties(comparison);
  compareRequired(comparison);
  compareOthers(comparison, "additionalProperties");
  compareOthers(comparison, "unevaluatedProperties");
  comparison.compare("propertyNames", partsOf(comparison, "propertyNames"));
  const patterns = partsOf(comparison, "patternProperties");
  for (const pattern of allKeys(patterns.old, patterns.now))
    comparison.compare("patternProperties", members(patterns, pattern));
}

const isClosed = (view: View) =>
  valueAt(view, "additionalProperties") === false || valueAt(view, "unevaluatedProperties") === false;

function compareProperties(comparison: Comparison): void {
  const { old, now, walk } = comparison;
  const properties = partsOf(comparison, "properties");
  for (const name of allKeys(properties.old, properties.now)) {
    const parts = members(properties, name);
    if (parts.old !== undefined && parts.now !== undefined) comparison.compare("properties", parts);
    else if (parts.old !== undefined) comparison.add("property-removed", "properties", { name }, parts);
    else if (walk.direction === "receive" && isClosed(old))
      comparison.add("property-added-closed", "properties", { name }, parts);
    else if (requiredNames(now).has(name) && !requiredNames(old).has(name))
      comparison.add("property-added-required", "properties", { name }, parts);
    else comparison.add("property-added", "properties", { name }, parts);
  }
}

/** Reports members that only one schema requires. The comparison of properties reports those that it also adds or removes. */
function compareRequired(comparison: Comparison): void {
  const { old, now } = comparison;
  const has = (view: View, name: unknown) => memberOf(view.keywords.get("properties"), String(name)) !== undefined;
  const report = (one: View, other: View, rule: "required-added" | "required-removed") => {
    const required = requiredNames(other);
    for (const item of itemsOf(one.keywords.get("required"))) {
      const isReported = has(one, item.value) && !has(other, item.value);
      if (required.has(String(item.value)) || isReported) continue;
      const isNew = one === now;
      const parts = { old: isNew ? undefined : item, now: isNew ? item : undefined };
      comparison.add(rule, "required", { name: String(item.value) }, parts);
    }
  };
  report(now, old, "required-added");
  report(old, now, "required-removed");
}

/** Compares the schema of members that no other keyword describes. */
function compareOthers(comparison: Comparison, keyword: "additionalProperties" | "unevaluatedProperties"): void {
  const parts = partsOf(comparison, keyword);
  const isNever = (part: Part | undefined) => part?.value === false;
  if (isNever(parts.old) === isNever(parts.now)) comparison.compare(keyword, parts);
  else comparison.add(isNever(parts.now) ? "object-closed" : "object-opened", keyword);
}
