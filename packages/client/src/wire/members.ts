/**
 * Checks the options that a program without types may pass. Other members are allowed, because an object such as a mock server
 * may be passed as the options; a member that resembles a missing option in name and type is refused as misspelt.
 * @param types For each option the results of `typeof` that it may have, separated by a space.
 * @throws {TypeError} where a member has another type, or resembles an option in name and type.
 */
export function checkMembers(name: string, options: object, types: Readonly<Record<string, string>>): void {
  for (const [member, value] of Object.entries(options)) {
    const type = value === null ? "null" : typeof value;
    const expected = Object.hasOwn(types, member) ? types[member] : undefined;
    if (!expected) {
      const missing = Object.keys(types).filter((option) => !(option in options) && types[option]?.includes(type));
      const meant = nearest(member, missing);
      if (meant) throw new TypeError(`${name}: unknown option: ${member}; did you mean ${meant}?`);
    } else if (value !== undefined && !expected.includes(type)) {
      throw new TypeError(`${name}: invalid ${member}: expected ${expected.replace(" ", " or ")}, got ${type}`);
    }
  }
}

/** Returns the name that shares the most pairs of adjacent letters with a word, and at least half of them. */
function nearest(word: string, names: readonly string[]): string | undefined {
  const text = word.toLowerCase();
  let best = 1 / 4;
  let found: string | undefined;
  for (const name of names) {
    const own = name.toLowerCase();
    const shared = [...text].filter((letter, at) => at > 0 && own.includes(text[at - 1] + letter)).length;
    const likeness = shared / (text.length + own.length - 2);
    if (likeness >= best) [best, found] = [likeness, name];
  }
  return found;
}
