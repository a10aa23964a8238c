import type { Part } from "../../../../../packages/conformance/src/server/corpus.ts";

// No document has this text, and JSON leaves it as it is.
const mark = "\uE000quern: long value\uE000";
const marked = new RegExp(`"${mark}([^"]*)"`);

/** Stands in params for JSON too long to write down: between `open` and `close` so many times the same text. */
export function longValue(open: string, text: string, times: number, close: string): string {
  return mark + encodeURIComponent(JSON.stringify([open, text, times, close]));
}

/** The body of a call in parts, where a long value is in it. */
export function partsOf(json: string): readonly Part[] | undefined {
  const found = marked.exec(json);
  if (found === null) return undefined;
  // What `longValue` wrote.
  const [open, text, times, close] = JSON.parse(decodeURIComponent(found[1] ?? "")) as [string, string, number, string];
  const after = json.slice(found.index + found[0].length);
  return [{ text: json.slice(0, found.index) + open }, { text, times }, { text: close + after }];
}
