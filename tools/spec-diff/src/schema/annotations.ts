import { changeOf, isEqual } from "../part.ts";
import { type Comparison, partsOf } from "./comparison.ts";
import type { Keyword } from "./keywords.ts";
import { valueAt } from "./view.ts";

/** Compares keywords that restrict no value: texts, examples, defaults, access, units and deprecation. */
export function compareAnnotations(comparison: Comparison): void {
  const { old, now, walk } = comparison;
  const differs = (keyword: Keyword) => {
    const parts = partsOf(comparison, keyword);
    return !isEqual(parts.old, parts.now);
  };
  for (const keyword of ["title", "description", "$comment", "externalDocs"] as const)
    if (differs(keyword)) comparison.addText("text", keyword, { name: keyword });
  for (const keyword of ["$defs", "definitions"] as const)
    if (differs(keyword)) comparison.addText("definitions-differ", keyword, { name: keyword });
  if (differs("examples")) comparison.addText("examples", "examples");
  for (const [keyword, name] of [
    ["default", "default"],
    ["x-unit", "unit"],
  ] as const) {
    if (!differs(keyword)) continue;
    const parts = partsOf(comparison, keyword);
    walk.report.add(`${name}-${changeOf(parts)}`, walk, parts.old, parts.now);
  }
  for (const keyword of ["readOnly", "writeOnly"] as const) {
    const [was, is] = [valueAt(old, keyword) === true, valueAt(now, keyword) === true];
    if (was !== is) comparison.add("access-changed", keyword, { name: keyword, old: was, now: is });
  }
  const [wasDeprecated, isDeprecated] = [valueAt(old, "deprecated") === true, valueAt(now, "deprecated") === true];
  const name = (now.part ?? old.part)?.pointer.split("/").at(-1) ?? "";
  if (wasDeprecated !== isDeprecated)
    comparison.addText(isDeprecated ? "deprecated" : "undeprecated", "deprecated", { name });
}
