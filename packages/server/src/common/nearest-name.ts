/**
 * Returns the name that has the longest prefix in common with a text, ignoring case, and of several such names the one
 * of the nearest length; undefined if no name has the same first letter.
 */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const letters = text.toLowerCase();
  let longest = 0;
  let nearest: string | undefined;
  for (const name of names) {
    const differs = [...name.toLowerCase()].findIndex((letter, at) => letter !== letters[at]);
    const common = differs < 0 ? name.length : differs;
    const isNearer = nearest !== undefined && lengthDistance(name, text) < lengthDistance(nearest, text);
    if (common > longest || (common === longest && isNearer)) [longest, nearest] = [common, name];
  }
  return nearest;
}

function lengthDistance(one: string, other: string): number {
  return Math.abs(one.length - other.length);
}
