const ascii = /^[\u0020-\u007e]*$/;
const zero = /^[\p{Mark}\u200b-\u200d\ufeff]/u;
const emoji = /^\p{Emoji_Presentation}|\ufe0f/u;
// What Unicode's East Asian Width calls wide or full-width, the unassigned ends of the blocks included.
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

let segmenter: Intl.Segmenter | undefined;

/** Columns that a text takes on a terminal: ideographs and emoji take two, combining marks none. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  segmenter ??= new Intl.Segmenter();
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    if (!zero.test(segment)) width += emoji.test(segment) || wide.test(segment) ? 2 : 1;
  }
  return width;
}
