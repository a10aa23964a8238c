import type { Answer } from "./exchange.ts";
import type { Reply } from "./invariants.ts";
import { idTexts, isObject } from "./json.ts";

/** The response objects of an answer, whatever else is wrong with it; none where it cannot be read. */
export function repliesIn(answer: Answer | undefined): readonly Reply[] {
  try {
    const text = answer?.body.toString() ?? "";
    const value: unknown = JSON.parse(text);
    const texts = idTexts(text);
    const replies: readonly unknown[] = Array.isArray(value) ? value : [value];
    return replies.flatMap((reply, index) => (isObject(reply) ? [{ idText: texts[index], value: reply }] : []));
  } catch {
    return [];
  }
}
