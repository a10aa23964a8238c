/**
 * Checks the members of an object that a program without types may pass. Members beyond the options are allowed, because a
 * mock server, for instance, is an object of options; one that could be an option that is missing is taken for a slip.
 * @param types By name: the results of `typeof` that a member may have, with a space between.
 * @throws {TypeError} where a member has another type, or resembles an option in name and type.
 */
export function checkMembers<Options extends object>(
  name: string,
  options: Options,
  types: Readonly<Record<keyof Options & string, string>>,
): void {
  const all: readonly [string, string][] = Object.entries(types);
  const missing = all.filter(([option]) => !(option in options));
  for (const [member, value] of Object.entries(options)) {
    const type = typeof value;
    const known = all.find(([option]) => option === member);
    if (!known) {
      const meant = nearest(
        member,
        missing.filter(([, expected]) => expected.includes(type)).map(([option]) => option),
      );
      if (meant) throw new TypeError(`${name}: unknown option: ${member}; did you mean ${meant}?`);
    } else if (value !== undefined && !known[1].includes(type)) {
      throw new TypeError(`${name}: invalid ${member}: expected ${known[1].replace(" ", " or ")}, got ${type}`);
    }
  }
}

/** The name that shares the most pairs of letters with a word: half of the pairs of both, at least. */
function nearest(word: string, names: readonly string[]): string | undefined {
  const pairsOf = (text: string) => Array.from(text.slice(1), (letter, at) => (text[at] + letter).toLowerCase());
  const pairs = pairsOf(word);
  let best = 1 / 4;
  let found: string | undefined;
  for (const name of names) {
    const own = pairsOf(name);
    const likeness = own.filter((pair) => pairs.includes(pair)).length / (own.length + pairs.length);
    if (likeness >= best) [best, found] = [likeness, name];
  }
  return found;
}
