import { invalidParams } from "../common/declared-error.ts";

/** Returns the cursor of a list: the key of the last entry of a page, as base64url of a JSON array of texts. */
export function encodeCursor(key: readonly string[]): string {
  return Buffer.from(JSON.stringify(key)).toString("base64url");
}

/**
 * Returns the key in a cursor.
 * @throws {MethodError} InvalidParams for a text that is not a cursor of a key of this length
 */
export function decodeCursor(cursor: string, length: number): readonly string[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(key) && key.length === length && key.every((part) => typeof part === "string")) return key;
  } catch {
    // Malformed JSON is refused below.
  }
  throw invalidCursor();
}

export function invalidCursor(): Error {
  const expected = "the nextCursor of an earlier call";
  return invalidParams([{ pointer: "/cursor", expected, received: "another text" }]);
}
