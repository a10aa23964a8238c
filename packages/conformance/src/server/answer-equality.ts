import type { Contract } from "./document.ts";
import { isObject } from "./json.ts";

/**
 * Compares two answers by the members that the OpenRPC document names and both have. Servers may add members, and omit others or set
 * them to null. Two states that are not final count as equal, because a run may progress between the answers.
 */
export type AnswerEquality = (left: unknown, right: unknown) => boolean;

export function createAnswerEquality({ document, methods }: Contract): AnswerEquality {
  const names = new Set<string>();
  JSON.stringify(document, (key, value) => {
    if (key === "properties" && isObject(value)) for (const name of Object.keys(value)) names.add(name);
    return value;
  });
  const polls = [...methods.values()].flatMap(({ poll }) => poll ?? []);
  const states = new Set(polls.map(({ state }) => state.slice(state.lastIndexOf("/") + 1)));
  const final = new Set(polls.flatMap((poll) => poll.final));
  const isUnfinished = (name: string, state: unknown) => states.has(name) && !final.has(state);

  function agree(left: unknown, right: unknown): boolean {
    if (Array.isArray(left) && Array.isArray(right))
      return left.length === right.length && left.every((item, index) => agree(item, right[index]));
    if (!isObject(left) || !isObject(right)) return left === right;
    const both = Object.keys(left).filter((name) => names.has(name) && left[name] != null && right[name] != null);
    return both.every(
      (name) => agree(left[name], right[name]) || (isUnfinished(name, left[name]) && isUnfinished(name, right[name])),
    );
  }
  return agree;
}
