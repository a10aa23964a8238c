/** Letters that a word needs to stand for a longer word that begins with it. */
const minPrefixLength = 3;

/**
 * Returns the word that a misspelt word probably stands for, ignoring case: the one at the smallest edit distance, at most a
 * third of its letters rounded up, else the shortest one that begins with the misspelt word.
 */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  const text = word.toLowerCase();
  const [nearest] = words
    .map((one) => ({ one, edits: editDistance(text, one.toLowerCase()) }))
    .filter(({ one, edits }) => edits <= Math.max(1, Math.ceil(one.length / 3)))
    .sort((a, b) => a.edits - b.edits);
  if (nearest !== undefined || text.length < minPrefixLength) return nearest?.one;
  return words.filter((one) => one.toLowerCase().startsWith(text)).sort((a, b) => a.length - b.length)[0];
}

/** Counts the letters to insert, delete, replace or swap with their neighbor (optimal string alignment distance). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replaced = cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cell(i - 2, j - 2) + 1 : replaced;
      row.push(Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, replaced, swapped));
    }
  }
  return cell(a.length, b.length);
}
