/** Columns of a terminal that remain readable when a text is clipped. */
const readable = 8;

/**
 * Narrows the widest columns until the table fits, and drops columns from the right where that is not enough.
 * @param least Width that a column keeps; by default as much as remains readable.
 */
export function fittedWidths(
  natural: readonly number[],
  least: readonly (number | undefined)[],
  terminalWidth: number,
  gap: number,
): readonly number[] {
  const totalOf = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
  const narrowed = (cap: number) =>
    natural.map((width, at) => Math.max(Math.min(width, cap), Math.min(width, least[at] ?? readable)));
  let cap = Math.min(Math.max(...natural), terminalWidth);
  while (cap > 0 && totalOf(narrowed(cap)) > terminalWidth) cap -= 1;
  const widths = narrowed(cap);
  while (widths.length > 1 && totalOf(widths) > terminalWidth) widths.pop();
  return widths.map((width) => Math.min(width, terminalWidth));
}
