import type { Check } from "./check.ts";

/** No check matches a selected id or group. */
export class SelectionError extends Error {
  override readonly name = "SelectionError";
}

export interface Selection {
  readonly ids?: readonly string[];
  readonly groups?: readonly string[];
}

type Named = Pick<Check, "id">;

/** Returns a predicate that selects checks. @throws SelectionError if an id or a group matches no check */
export function selectionOf(checks: readonly Named[], { ids = [], groups = [] }: Selection): (check: Named) => boolean {
  if (ids.length === 0 && groups.length === 0) return () => true;
  const known = [...new Set(checks.map(({ id }) => groupOf(id)))];
  const chosen = groups.map((group) => {
    const found = known.find((one) => one.toLowerCase() === group.toLowerCase());
    if (found !== undefined) return found;
    throw new SelectionError(`unknown group ${JSON.stringify(group)}; the groups are ${known.join(", ")}`);
  });
  const patterns = ids.map((id) => {
    const text = id.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
    const pattern = new RegExp(`^${text}$`, "i");
    if (checks.some((check) => pattern.test(check.id))) return pattern;
    throw new SelectionError(`unknown check ${JSON.stringify(id)}${hintFor(id, checks)}`);
  });
  return ({ id }) => chosen.includes(groupOf(id)) || patterns.some((pattern) => pattern.test(id));
}

/** Returns the group of a check: the part of its id before the first `/`, or before the number at its end. */
function groupOf(id: string): string {
  return id.includes("/") ? id.slice(0, id.indexOf("/")) : id.replace(/-\d+$/, "");
}

function hintFor(id: string, checks: readonly Named[]): string {
  const near = checks.filter((check) => groupOf(check.id).toLowerCase() === groupOf(id).toLowerCase());
  const [first, last] = [near[0], near.at(-1)];
  if (first === undefined || last === undefined) return "; pass an id such as REQ-001, fuzz/links or PAGE-*";
  return `; the group ${groupOf(first.id)} has ${first.id} to ${last.id}`;
}
