import type { Answer } from "./exchange.ts";
import { idTexts, isObject, type JsonObject } from "./json.ts";

/** One response object of an answer, with its id as JSON text. */
export interface Reply {
  readonly value: JsonObject;
  readonly idText: string | undefined;
}

/** Parsed body of an answer. */
export interface ParsedAnswer {
  readonly isBatch: boolean;
  readonly replies: readonly Reply[];
  readonly value: unknown;
}

/**
 * Parses a body that is not empty. A member that is not an object becomes `{ notAnObject: member }`, so that it is checked.
 * @throws TypeError or SyntaxError if the body is not UTF-8 or not JSON
 */
export function parseAnswer({ body }: Answer): ParsedAnswer {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  const value: unknown = JSON.parse(text);
  const texts = idTexts(text, value);
  const members: readonly unknown[] = Array.isArray(value) ? value : [value];
  const replies = members.map((member, index) => ({
    value: isObject(member) ? member : { notAnObject: member },
    idText: texts[index],
  }));
  return { isBatch: Array.isArray(value), replies, value };
}

/** Returns the response objects of an answer, without checking it; none if the body cannot be read. */
export function repliesIn(answer: Answer | undefined): readonly Reply[] {
  try {
    const text = answer?.body.toString() ?? "";
    const value: unknown = JSON.parse(text);
    const texts = idTexts(text, value);
    const replies: readonly unknown[] = Array.isArray(value) ? value : [value];
    return replies.flatMap((reply, index) => (isObject(reply) ? [{ idText: texts[index], value: reply }] : []));
  } catch {
    return [];
  }
}
