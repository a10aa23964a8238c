import { budgetCharacters, cutText } from "./budget.ts";
import type { MembersOutput } from "./tool.ts";

/** Longest text of a member, in characters, of an output that does not fit into the budget. */
const maxTextCharacters = 1_000;

/** Returns the members of a result that the output of a tool has. */
export function membersOutput(result: unknown, { members, omit }: MembersOutput): Record<string, unknown> {
  const output = Object.fromEntries(
    Object.entries(members).map(([name, path]) => [name, structuredClone(memberAt(result, path)) ?? null]),
  );
  for (const path of omit) remove(output, path);
  return output;
}

/** Returns true if an output fits into the budget of a reply. */
export function fits(output: object): boolean {
  return JSON.stringify(output).length <= budgetCharacters;
}

/**
 * Cuts the texts of an output that is too large, then its longest lists, until it fits. Its member `cut` names what is cut.
 */
export function cutOutput(output: Record<string, unknown>): Record<string, unknown> {
  const cut: string[] = [];
  const shorter = shortened(output, "", cut);
  const whole: Record<string, unknown> = { ...Object(shorter), cut };
  while (!fits(whole)) {
    const longest = longestList(whole, "");
    if (longest === undefined || longest.list.length === 0) break;
    const { list, path } = longest;
    const kept = Math.floor(list.length / 2);
    const known = cut.findIndex((line) => line.startsWith(`${path}: `));
    const total = known < 0 ? list.length : Number(/ of (\d+) /.exec(cut[known] ?? "")?.[1]);
    list.length = kept;
    cut.splice(known < 0 ? cut.length : known, known < 0 ? 0 : 1, `${path}: ${kept} of ${total} items`);
  }
  return whole;
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((object, name) => Object(object)[name], value);
}

function remove(value: unknown, [name = "", ...rest]: readonly string[]): void {
  if (name === "*") {
    for (const item of Array.isArray(value) ? value : []) remove(item, rest);
  } else if (typeof value === "object" && value !== null && name in value) {
    const object: Record<string, unknown> = value as Record<string, unknown>; // an object that has the member
    if (rest.length === 0) delete object[name];
    else remove(object[name], rest);
  }
}

function shortened(value: unknown, path: string, cut: string[]): unknown {
  if (typeof value === "string") {
    if (value.length <= maxTextCharacters) return value;
    cut.push(`${path}: ${maxTextCharacters} of ${value.length} characters`);
    return cutText(value, maxTextCharacters);
  }
  if (Array.isArray(value)) return value.map((item, index) => shortened(item, `${path}/${index}`, cut));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shortened(member, `${path}/${name}`, cut)]),
  );
}

/** Returns the list with the most text. A list in another one is cut first, because it hides fewer items. */
function longestList(value: unknown, path: string): { list: unknown[]; path: string; characters: number } | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const inner = Object.entries(value)
    .filter(([name]) => `${path}/${name}` !== "/cut")
    .map(([name, member]) => longestList(member, `${path}/${name}`))
    .filter((found) => found !== undefined)
    .sort((a, b) => b.characters - a.characters)[0];
  if (inner !== undefined && inner.list.length > 1) return inner;
  return Array.isArray(value) ? { list: value, path, characters: JSON.stringify(value).length } : inner;
}
