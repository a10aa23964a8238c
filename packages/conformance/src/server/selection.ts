import type { Check } from "./check.ts";

/** No check has the id or the group that was selected. */
export class SelectionError extends Error {
  override readonly name = "SelectionError";
}

export interface Selection {
  readonly ids?: readonly string[];
  readonly groups?: readonly string[];
}

type Named = Pick<Check, "id">;

/** Returns a test for the checks of a selection. @throws SelectionError where a part of it selects none */
export function selectionOf(checks: readonly Named[], { ids = [], groups = [] }: Selection): (check: Named) => boolean {
  if (ids.length === 0 && groups.length === 0) return () => true;
  const known = [...new Set(checks.map(({ id }) => groupOf(id)))];
  const chosen = groups.map((group) => {
    const found = known.find((one) => one.toLowerCase() === group.toLowerCase());
    if (found !== undefined) return found;
    throw new SelectionError(`there is no group ${JSON.stringify(group)}; the groups are ${known.join(", ")}`);
  });
  const patterns = ids.map((id) => {
    const text = id.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
    const pattern = new RegExp(`^${text}$`, "i");
    if (checks.some((check) => pattern.test(check.id))) return pattern;
    throw new SelectionError(`there is no check ${JSON.stringify(id)}${nearest(id, checks)}`);
  });
  return ({ id }) => chosen.includes(groupOf(id)) || patterns.some((pattern) => pattern.test(id));
}

/** The group of a check: what its id has before the first `/`, or before the number at its end. */
function groupOf(id: string): string {
  return id.includes("/") ? id.slice(0, id.indexOf("/")) : id.replace(/-\d+$/, "");
}

function nearest(id: string, checks: readonly Named[]): string {
  const near = checks.filter((check) => groupOf(check.id).toLowerCase() === groupOf(id).toLowerCase());
  const [first, last] = [near[0], near.at(-1)];
  if (first === undefined || last === undefined) return "; ids are such as REQ-001, fuzz/links or PAGE-*";
  return `; those of the group ${groupOf(first.id)} go from ${first.id} to ${last.id}`;
}
