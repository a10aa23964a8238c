/**
 * Checks the members of an object that a program without types may pass.
 * @param types By name: the results of `typeof` that a member may have, with a space between.
 * @throws {TypeError} where a member is not known, with the nearest name, or has another type.
 */
export function checkMembers<Options extends object>(
  name: string,
  options: Options,
  types: Readonly<Record<keyof Options & string, string>>,
): void {
  for (const [member, value] of Object.entries(options)) {
    if (!Object.hasOwn(types, member)) {
      throw new TypeError(`${name}: unknown option: ${member}; did you mean ${nearest(member, Object.keys(types))}?`);
    }
    const expected = types[member as keyof Options & string].split(" "); // It was just found.
    if (value === undefined || expected.includes(typeof value)) continue;
    throw new TypeError(`${name}: invalid ${member}: expected ${expected.join(" or ")}, got ${typeof value}`);
  }
}

/** The name that shares the most pairs of letters with a word. */
function nearest(word: string, names: readonly string[]): string {
  const pairsOf = (text: string) => Array.from(text.slice(1), (letter, at) => (text[at] + letter).toLowerCase());
  const pairs = pairsOf(word);
  const alikeness = (name: string) => {
    const own = pairsOf(name);
    return own.filter((pair) => pairs.includes(pair)).length / (own.length + pairs.length);
  };
  return names.reduce((best, name) => (alikeness(name) > alikeness(best) ? name : best));
}
