import { createRequire } from "node:module";

const ascii = /^[\u0020-\u007e]*$/;

let segmenter: Intl.Segmenter | undefined;

let library: typeof import("string-width") | undefined;

/** Returns the width of a text by a library whose expressions take Node 20 ms to compile: it is loaded for the first other text. */
function stringWidth(text: string): number {
  const loaded: typeof import("string-width") = library ?? createRequire(import.meta.url)("string-width");
  library = loaded;
  return loaded.default(text);
}

/** Returns the width of a text on a terminal, in columns: ideographs and emoji take two, combining marks none. */
export function textWidth(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text);
}

/** Shortens a text to a number of terminal columns; `…` replaces the end. */
export function clipped(text: string, columns: number): string {
  if (text.length <= columns && ascii.test(text)) return text;
  if (ascii.test(text)) return `${text.slice(0, columns - 1)}…`;
  let head = "";
  let width = 0;
  let fits = "";
  segmenter ??= new Intl.Segmenter();
  for (const { segment } of segmenter.segment(text)) {
    width += stringWidth(segment);
    if (width <= columns - 1) fits = head + segment;
    if (width > columns) return `${fits}…`;
    head += segment;
  }
  return text;
}
