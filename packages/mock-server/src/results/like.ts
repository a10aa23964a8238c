/**
 * Returns the test of a pattern of SQL's `LIKE`: `%` matches any text, `_` any character. It takes a time linear in the
 * text for each part between two `%`. A regular expression would try all combinations of positions.
 */
export function likeTest(pattern: string): (text: string) => boolean {
  const [first = [], ...others] = pattern.split("%").map((part) => Array.from(part));
  const last = others.pop();
  return (text) => {
    const characters = Array.from(text);
    if (!isAt(characters, 0, first)) return false;
    if (last === undefined) return characters.length === first.length;
    let at = first.length;
    for (const part of others) {
      // The first match leaves the most characters for the parts after it.
      while (at + part.length <= characters.length && !isAt(characters, at, part)) at += 1;
      at += part.length;
    }
    const end = characters.length - last.length;
    return at <= end && isAt(characters, end, last);
  };
}

function isAt(characters: readonly string[], start: number, part: readonly string[]): boolean {
  return part.every((each, index) => {
    const character = characters[start + index];
    return each === "_" ? character !== undefined : each === character;
  });
}
