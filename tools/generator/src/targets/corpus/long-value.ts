import type { Part } from "../../../../../packages/conformance/src/server/corpus.ts";

// Marker that occurs in no document and that JSON does not escape.
const mark = "\uE000quern: long value\uE000";
const marked = new RegExp(`"${mark}([^"]*)"`);

/** Returns a placeholder for JSON that is too long to write down: `open`, then a text `times` times, then `close`. */
export function longValue(open: string, text: string, times: number, close: string): string {
  return mark + encodeURIComponent(JSON.stringify([open, text, times, close]));
}

/** Splits the body of a call at its long value. Returns undefined if it has none. */
export function partsOf(json: string): readonly Part[] | undefined {
  const found = marked.exec(json);
  if (found === null) return undefined;
  // `longValue` wrote this tuple.
  const [open, text, times, close] = JSON.parse(decodeURIComponent(found[1] ?? "")) as [string, string, number, string];
  const after = json.slice(found.index + found[0].length);
  return [{ text: json.slice(0, found.index) + open }, { text, times }, { text: close + after }];
}
