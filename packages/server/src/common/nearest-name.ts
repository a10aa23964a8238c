/**
 * Returns the name that has the most letters at its start and its end in common with a text, ignoring case, and of
 * several such names the one of the nearest length; undefined if no name has the same first letter.
 */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  let most = 0;
  let nearest: string | undefined;
  for (const name of names) {
    const common = commonLetters(name.toLowerCase(), text.toLowerCase());
    const isNearer = nearest !== undefined && lengthDistance(name, text) < lengthDistance(nearest, text);
    if (common > most || (common === most && isNearer)) [most, nearest] = [common, name];
  }
  return nearest;
}

/** Counts the equal letters at the start and then at the end; 0 if the first letters differ. */
function commonLetters(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  if (start === 0) return 0;
  let end = 0;
  while (start + end < shorter && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return start + end;
}

function lengthDistance(one: string, other: string): number {
  return Math.abs(one.length - other.length);
}
