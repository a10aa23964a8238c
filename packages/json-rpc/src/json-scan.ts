// Scans of JSON text that take linear time and build no values. They also accept text that is not JSON.

/** Tells whether arrays and objects are nested too deeply. It stops at the first one that is. */
export function isTooDeep(text: string, maxDepth: number): boolean {
  // Each level takes an opening and a closing bracket.
  if (text.length < 2 * maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at);
    else if (isOpening(character)) {
      if (++depth > maxDepth) return true;
    } else if (isClosing(character)) depth--;
  }
  return false;
}

const numberOrNull = /null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const afterKey = /\s*:\s*/y;

/** Returns the text of the member `id` of an object with all its digits; undefined without a valid one. */
export function topLevelId(text: string): string | undefined {
  let depth = 0;
  let idText: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      const end = endOfString(text, at);
      // As in `JSON.parse`, the last of several members with one name counts.
      if (depth === 1 && text.startsWith('"id"', at)) idText = idAfter(text, end + 1) ?? idText;
      at = end;
    } else if (isOpening(character)) {
      // A batch has no id of its own.
      if (depth++ === 0 && character === openingBracket) return undefined;
    } else if (isClosing(character)) depth--;
  }
  return idText;
}

/** Returns the text of the value of a member whose key ends before `at`. */
function idAfter(text: string, at: number): string | undefined {
  afterKey.lastIndex = at;
  if (!afterKey.test(text)) return undefined; // it was a value
  const start = afterKey.lastIndex;
  if (text.charCodeAt(start) === quote) return stringText(text.slice(start, endOfString(text, start) + 1));
  numberOrNull.lastIndex = start;
  return numberOrNull.exec(text)?.[0];
}

/** Returns a JSON string in the form that `JSON.stringify` writes; undefined if it is not one. */
function stringText(token: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(token));
  } catch {
    return undefined;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const openingBracket = 0x5b;

function isOpening(character: number): boolean {
  return character === openingBracket || character === 0x7b;
}

function isClosing(character: number): boolean {
  return character === 0x5d || character === 0x7d;
}

/** Returns the position of the closing quote of the string that starts at `start`; the end of the text without one. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at > 0) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return at;
    at = text.indexOf('"', at + 1);
  }
  return text.length;
}
