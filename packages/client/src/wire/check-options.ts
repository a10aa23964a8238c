/**
 * Checks the options of a JavaScript program, which no type checks. Unknown members are allowed, because an object such
 * as a mock server may be passed as the options. A member that resembles a missing option in name and type is refused
 * as misspelt.
 * @param types Results of `typeof` that each option may have, separated by a space.
 * @throws {TypeError} if an option has the wrong type, or a member resembles a missing option.
 */
export function checkOptions(name: string, options: object, types: Readonly<Record<string, string>>): void {
  for (const [member, value] of Object.entries(options)) {
    const type = value === null ? "null" : Number.isNaN(value) ? "NaN" : typeof value;
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

/** Returns the name that shares the most pairs of adjacent letters with a word, if they share at least half of them. */
function nearest(word: string, names: readonly string[]): string | undefined {
  const text = word.toLowerCase();
  let best = 1 / 4;
  let closest: string | undefined;
  for (const name of names) {
    const other = name.toLowerCase();
    const shared = [...text].filter((letter, at) => at > 0 && other.includes(text[at - 1] + letter)).length;
    const similarity = shared / (text.length + other.length - 2);
    if (similarity >= best) [best, closest] = [similarity, name];
  }
  return closest;
}
