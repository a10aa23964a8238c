const ascii = /^[\u0020-\u007e]*$/;
const zero = /^[\p{Mark}\u200b-\u200d\ufeff]/u;
const emoji = /^\p{Emoji_Presentation}|\ufe0f/u;
// Characters that Unicode's East Asian Width property classifies as wide or full-width, with the unassigned ends of their blocks.
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

let segmenter: Intl.Segmenter | undefined;

function* segments(text: string): Generator<{ readonly segment: string; readonly width: number }> {
  segmenter ??= new Intl.Segmenter();
  for (const { segment } of segmenter.segment(text)) {
    yield { segment, width: zero.test(segment) ? 0 : emoji.test(segment) || wide.test(segment) ? 2 : 1 };
  }
}

/** Returns the width of a text on a terminal, in columns: ideographs and emoji take two, combining marks none. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const segment of segments(text)) width += segment.width;
  return width;
}

/** Shortens a text to a number of terminal columns; `…` replaces the end. */
export function clipped(text: string, columns: number): string {
  if (text.length <= columns && ascii.test(text)) return text;
  if (ascii.test(text)) return `${text.slice(0, columns - 1)}…`;
  let head = "";
  let width = 0;
  let fits = "";
  for (const segment of segments(text)) {
    width += segment.width;
    if (width <= columns - 1) fits = head + segment.segment;
    if (width > columns) return `${fits}…`;
    head += segment.segment;
  }
  return text;
}
