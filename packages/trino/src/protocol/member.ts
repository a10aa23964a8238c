const [quote, backslash, comma, colon, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\,:{}[]');

/** Bytes of a JSON object, without one of its members. */
export interface CutObject {
  /** Text of the object, with `null` as the value of the member. */
  readonly rest: Uint8Array;
  /** Text of the member's value, without a copy. Undefined if the object does not have the member. */
  readonly value: Uint8Array | undefined;
}

/**
 * Cuts the value of a member out of the JSON text of an object. The value is not parsed, so it keeps all digits of its
 * numbers, and costs no objects.
 * @throws {SyntaxError} if the text is not an object, or ends in the middle of one
 */
export function cutMember(json: Uint8Array, name: string): CutObject {
  let at = skipSpace(json, 0);
  if (json[at] !== openBrace) throw new SyntaxError("expected a JSON object");
  at = skipSpace(json, at + 1);
  while (json[at] === quote) {
    const afterKey = afterString(json, at);
    const key = Buffer.from(json.subarray(at + 1, afterKey - 1)).toString();
    at = skipSpace(json, afterKey);
    if (json[at] !== colon) throw new SyntaxError("expected a colon in a JSON object");
    const start = skipSpace(json, at + 1);
    const end = afterValue(json, start);
    if (key === name) {
      const rest = Buffer.concat([json.subarray(0, start), Buffer.from("null"), json.subarray(end)]);
      return { rest, value: json.subarray(start, end) };
    }
    at = skipSpace(json, end);
    if (json[at] === comma) at = skipSpace(json, at + 1);
  }
  if (json[at] !== closeBrace) throw new SyntaxError("unexpected end of a JSON object");
  return { rest: json, value: undefined };
}

function skipSpace(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.length && (json[at] ?? 0) <= 0x20) at += 1;
  return at;
}

/** Returns the offset after the string that starts at `start`. */
function afterString(json: Uint8Array, start: number): number {
  let end = json.indexOf(quote ?? 0, start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
    end = json.indexOf(quote ?? 0, end + 1);
  }
  throw new SyntaxError("unexpected end of a JSON string");
}

/** Returns the offset after the value that starts at `start`: of a scalar, the comma or bracket that follows it. */
function afterValue(json: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) {
      at = afterString(json, at) - 1;
      if (depth === 0) return at + 1;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === comma && depth === 0) {
      return at;
    }
  }
  throw new SyntaxError("unexpected end of a JSON value");
}
