/** Product of the numbers of lines up to which equal lines are searched. */
const largestTable = 4_000_000;

/** Returns the lines that differ, with `- ` before those of the old text and `+ ` before those of the new one. */
export function lineDiff(before: string, after: string): readonly string[] {
  const old = before.split(/\r?\n/);
  const now = after.split(/\r?\n/);
  if (old.length * now.length > largestTable)
    return [...old.map((line) => `- ${line}`), ...now.map((line) => `+ ${line}`)];
  const common = commonLengths(old, now);
  const lines: string[] = [];
  let at = 0;
  let to = 0;
  while (at < old.length || to < now.length) {
    if (at < old.length && to < now.length && old[at] === now[to]) {
      at += 1;
      to += 1;
    } else if (at < old.length && (to === now.length || lengthAt(common, at + 1, to) >= lengthAt(common, at, to + 1))) {
      lines.push(`- ${old[at]}`);
      at += 1;
    } else {
      lines.push(`+ ${now[to]}`);
      to += 1;
    }
  }
  return lines;
}

const lengthAt = (table: readonly (readonly number[])[], row: number, column: number) => table[row]?.[column] ?? 0;

/** Returns the number of equal lines, in their order, from each pair of lines on. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly (readonly number[])[] {
  const table: number[][] = [];
  for (let row = old.length - 1; row >= 0; row -= 1) {
    const lengths: number[] = [];
    for (let column = now.length - 1; column >= 0; column -= 1) {
      lengths[column] =
        old[row] === now[column]
          ? 1 + lengthAt(table, row + 1, column + 1)
          : Math.max(lengthAt(table, row + 1, column), lengths[column + 1] ?? 0);
    }
    table[row] = lengths;
  }
  return table;
}
