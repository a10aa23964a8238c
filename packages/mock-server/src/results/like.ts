import { type LikePart, likeParts } from "@quern/query-run/like-pattern";

type CharacterTest = (character: string) => boolean;

/**
 * Returns the test of a pattern of `like`, or of `ilike` if it ignores case. It takes a time linear in the text for each
 * part between two `%`. A regular expression would try all combinations of positions.
 */
export function likeTest(pattern: string, ignoresCase = false): (text: string) => boolean {
  const [first = [], ...others] = segmentsOf(likeParts(pattern), ignoresCase);
  const last = others.pop();
  return (text) => {
    const characters = Array.from(text);
    if (!isAt(characters, 0, first)) return false;
    if (last === undefined) return characters.length === first.length;
    let at = first.length;
    for (const segment of others) {
      // The first match leaves the most characters for the segments after it.
      while (at + segment.length <= characters.length && !isAt(characters, at, segment)) at += 1;
      at += segment.length;
    }
    const end = characters.length - last.length;
    return at <= end && isAt(characters, end, last);
  };
}

/** Returns the tests of the characters between any two `%`. */
function segmentsOf(parts: readonly LikePart[], ignoresCase: boolean): readonly (readonly CharacterTest[])[] {
  const segments: CharacterTest[][] = [[]];
  for (const part of parts) {
    if (part === "any") segments.push([]);
    else segments.at(-1)?.push(part === "one" ? () => true : characterTest(part.character, ignoresCase));
  }
  return segments;
}

function characterTest(character: string, ignoresCase: boolean): CharacterTest {
  if (!ignoresCase) return (each) => each === character;
  const expression = new RegExp(`^\\u{${character.codePointAt(0)?.toString(16)}}$`, "iu");
  return (each) => expression.test(each);
}

function isAt(characters: readonly string[], start: number, segment: readonly CharacterTest[]): boolean {
  return segment.every((matches, index) => {
    const character = characters[start + index];
    return character !== undefined && matches(character);
  });
}
